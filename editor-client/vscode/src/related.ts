// A tree of notes related to the one in the active editor.

import * as vscode from "vscode";
import { Latest } from "../../shared/latest";
import { folderOf, isNote, messageOf } from "../../shared/text";
import { METHOD_RELATED, type RelatedAnswer, type RelatedParams, type WireRelated } from "../../shared/wire";
import type { Server } from "./server/client";
import { linkTo } from "./vaults";

const PAUSE_MS = 250;
const LIMIT = 20;

/** The request for the notes of the view; the client's setting says where linked notes are listed. */
export function relatedParams(uri: vscode.Uri): RelatedParams {
  const linked = vscode.workspace.getConfiguration("vaultseek", uri).get<RelatedParams["linked"]>("related.linked") ?? "last";
  return { textDocument: { uri: uri.toString() }, linked, limit: LIMIT };
}

export class RelatedNotes
  implements vscode.TreeDataProvider<WireRelated>, vscode.TreeDragAndDropController<WireRelated>, vscode.Disposable
{
  readonly dropMimeTypes: string[] = [];
  readonly dragMimeTypes = ["text/plain"];
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly view: vscode.TreeView<WireRelated>;
  private readonly disposables: { dispose(): unknown }[] = [];
  private notes: readonly WireRelated[] = [];
  private readonly latest: Latest<vscode.Uri, RelatedAnswer>;

  constructor(server: Server) {
    this.latest = new Latest(
      (uri, signal) => server.request<RelatedAnswer>(METHOD_RELATED, relatedParams(uri), { signal }),
      (answer, uri) => {
        this.show(answer.results, answer.results.length > 0 ? undefined : "No related notes.", uri);
      },
      (error, uri) => {
        this.show([], messageOf(error), uri);
      },
      PAUSE_MS,
    );
    this.view = vscode.window.createTreeView("vaultseek.relatedView", {
      treeDataProvider: this,
      dragAndDropController: this,
      canSelectMany: true,
      showCollapseAll: false,
    });
    this.disposables.push(
      this.view,
      this.changed,
      vscode.window.onDidChangeActiveTextEditor(() => {
        this.follow();
      }),
      vscode.workspace.onDidSaveTextDocument(() => {
        this.follow();
      }),
      this.view.onDidChangeVisibility(() => {
        this.follow();
      }),
    );
    this.follow();
  }

  /** Requests the notes related to the active editor's note, if the view is visible. Other editors change nothing. */
  follow(): void {
    const document = vscode.window.activeTextEditor?.document;
    if (this.view.visible && document?.languageId === "markdown" && document.uri.scheme === "file") {
      this.latest.request(document.uri);
    }
  }

  getTreeItem(note: WireRelated): vscode.TreeItem {
    const item = new vscode.TreeItem(note.title);
    item.id = note.id;
    item.description = note.reason;
    item.iconPath = new vscode.ThemeIcon(note.isLinked ? "link" : "note");
    const lines = [note.title, folderOf(note.id), note.reason, note.isLinked ? "Already linked." : ""];
    item.tooltip = lines.filter((line) => line !== "").join("\n");
    item.accessibilityInformation = { label: `${note.title}${note.isLinked ? ", already linked" : ""}. ${note.reason}` };
    item.contextValue = `${note.isLinked ? "linked" : "related"} ${isNote(note.id) ? "note" : "file"}`;
    item.command = { command: "vaultseek.openRelated", title: "Open", arguments: [note] };
    return item;
  }

  getChildren(parent?: WireRelated): readonly WireRelated[] & WireRelated[] {
    return parent === undefined ? [...this.notes] : [];
  }

  async handleDrag(notes: readonly WireRelated[], data: vscode.DataTransfer): Promise<void> {
    const links = await Promise.all(notes.map((note) => linkTo(note)));
    data.set("text/plain", new vscode.DataTransferItem(links.join("\n")));
  }

  dispose(): void {
    this.latest.cancel();
    for (const disposable of this.disposables) {
      disposable.dispose();
    }
  }

  private show(notes: readonly WireRelated[], message: string | undefined, uri: vscode.Uri): void {
    this.notes = notes;
    this.view.message = message ?? "";
    this.view.description = vscode.workspace.asRelativePath(uri, false).replace(/^.*\//u, "");
    this.changed.fire();
  }
}
