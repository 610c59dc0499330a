// Results opened where they match: notes with the match selected, other files in whatever can show them.

import { posix } from "node:path";
import * as vscode from "vscode";
import { isDocument } from "../../shared/documents";
import { matchOf } from "../../shared/match";
import type { WireRange, WireResult } from "../../shared/wire";
import { hasEditor } from "./editors";
import { toRange, type SearchedTexts } from "./searched_text";

export interface Opening {
  readonly isAside?: boolean;
  readonly isPreview?: boolean;
  readonly keepsFocus?: boolean;
}

/** What is known of a result that is opened. */
export type Target = Pick<WireResult, "uri" | "snippets" | "sections">;

// All other files are opened by the user's editor for them: a canvas or a notebook is JSON, and an image is no text.
const IS_TEXT = /\.(?:md|markdown|txt|org|rst|adoc|asciidoc|html?|csv|base)$/i;
const HAS_ONLY_TEXT = /\.(?:pdf|docx|pptx|xlsx|odt|epub)$/i; // VS Code itself cannot show them
const CELL = /^cell=(\d{1,6})$/;
const PAGE = /^page=\d{1,6}$/;

export class Opener {
  constructor(private readonly texts: Pick<SearchedTexts, "show">) {}

  /** Opens a result at an excerpt, the first one unless another is named. */
  async open(result: Target, how: Opening = {}, number = 0): Promise<void> {
    const snippet = result.snippets[number];
    const file = vscode.Uri.parse(result.uri, true);
    if (IS_TEXT.test(file.path)) {
      await showText(file, matchOf(result, number), shown(how));
    } else if (isShownAsText(file)) {
      await this.openText(result, how, number);
    } else {
      await showFile(file, snippet?.range, snippet?.fragment, shown(how));
    }
  }

  /** Opens the text of a result as it is searched, with the match selected. */
  async openText(result: Target, how: Opening = {}, number = 0): Promise<void> {
    const snippet = result.snippets[number];
    await this.texts.show(result.uri, snippet?.textRange, snippet?.fragment, shown(how));
  }

  /** Opens a result that is no note in the way that `open` does not: as its text, or with the system's program. */
  async openOtherwise(result: Target): Promise<void> {
    const file = vscode.Uri.parse(result.uri, true);
    if (isShownAsText(file) || result.snippets[0]?.textRange === undefined) {
      await openWithSystem(file);
    } else {
      await this.openText(result, { isPreview: false });
    }
  }
}

/** Opens a file with the system's program for it. */
export async function openWithSystem(file: vscode.Uri): Promise<void> {
  const name = posix.basename(file.path);
  if (!isDocument(name)) {
    throw new Error(`${name} is not opened with the system's program, since it could be a program itself.`);
  }
  if (vscode.env.remoteName !== undefined || vscode.env.uiKind === vscode.UIKind.Web) {
    throw new Error(`${name} is on another machine, so this machine's programs cannot open it.`);
  }
  if (!(await vscode.env.openExternal(file.with({ fragment: "" })))) {
    throw new Error(`The system has no program for ${name}.`);
  }
}

/** Whether nothing in VS Code can show a file of this type, while its text can be shown. */
function isShownAsText(file: vscode.Uri): boolean {
  if (!HAS_ONLY_TEXT.test(file.path)) {
    return false;
  }
  const associations = vscode.workspace.getConfiguration().get<unknown>("workbench.editorAssociations");
  return !hasEditor(posix.basename(file.path), vscode.extensions.all, associations);
}

async function showText(file: vscode.Uri, place: WireRange | undefined, how: vscode.TextDocumentShowOptions): Promise<void> {
  const document = await vscode.workspace.openTextDocument(file);
  const selection = place === undefined ? undefined : document.validateRange(toRange(place));
  const editor = await vscode.window.showTextDocument(document, { ...how, ...(selection === undefined ? {} : { selection }) });
  if (selection !== undefined) {
    editor.revealRange(selection, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  }
}

/** Opens a file in the user's editor for it: at its page, cell or line, as far as that editor knows it. */
async function showFile(file: vscode.Uri, place: WireRange | undefined, fragment: string | undefined, how: vscode.TextDocumentShowOptions): Promise<void> {
  const cell = Number(CELL.exec(fragment ?? "")?.[1] ?? 0);
  if (cell > 0 && (await showsCell(file, cell, how))) {
    return;
  }
  const page = fragment !== undefined && PAGE.test(fragment) ? fragment : "";
  const selection = place === undefined || page !== "" ? {} : { selection: toRange(place) };
  await vscode.commands.executeCommand("vscode.open", page === "" ? file : file.with({ fragment: page }), { ...how, ...selection });
}

/** Whether the notebook could be shown with this cell selected, from 1; not without an extension for notebooks. */
async function showsCell(file: vscode.Uri, cell: number, how: vscode.NotebookDocumentShowOptions): Promise<boolean> {
  try {
    const notebook = await vscode.workspace.openNotebookDocument(file);
    await vscode.window.showNotebookDocument(notebook, { ...how, selections: [new vscode.NotebookRange(cell - 1, cell)] });
    return true;
  } catch {
    return false;
  }
}

function shown(how: Opening) {
  return {
    preview: how.isPreview ?? true,
    preserveFocus: how.keepsFocus ?? false,
    viewColumn: how.isAside === true ? vscode.ViewColumn.Beside : vscode.ViewColumn.Active,
  };
}
