// The extension: its commands, its views, and the one server they share.

import * as vscode from "vscode";
import { NoServer } from "../../shared/keeper";
import { messageOf, nameOf } from "../../shared/text";
import { COMMAND_CLEAR, COMMAND_REBUILD, COMMAND_UPDATE, type SearchOptions, type WireRelated } from "../../shared/wire";
import { offerToAssistants } from "./assistant";
import { Explanations, SCHEME } from "./explanation";
import { runIndexCommand } from "./indexing";
import { setKey } from "./keys";
import { Opener, openWithSystem, type Target } from "./open";
import { openPalette, type Purpose } from "./palette";
import { RelatedNotes } from "./related";
import { fileOf, SearchedTexts } from "./searched_text";
import { Server } from "./server/client";
import { SearchView } from "./sidebar";
import { Status } from "./status";
import { folderInVault, linkTo } from "./vaults";
import { welcome } from "./welcome";

export function activate(context: vscode.ExtensionContext): void {
  const output = vscode.window.createOutputChannel("Vaultseek", { log: true });
  const version = String((context.extension.packageJSON as { version: unknown }).version);
  const server = new Server(output, context.secrets, version);
  const status = new Status(server);
  const explanations = new Explanations(server);
  const related = new RelatedNotes(server);
  const texts = new SearchedTexts(server);
  const opener = new Opener(texts);
  const searchView = new SearchView(server, context.extensionUri, (answer) => {
    status.onAnswer(answer);
  }, opener);
  let lastQuery = "";

  const purpose = (title: string, options: SearchOptions = {}): Purpose => ({
    title,
    options,
    onNotices: (answer) => {
      lastQuery = answer.expandedQuery.original;
      status.onAnswer(answer);
    },
    explain: (query, result) => explanations.show(query, result.id, result.title, options),
    opener,
  });
  const targetOf = (row: Row): Target | undefined => ("snippets" in row ? row : searchView.resultOf(row.id));
  const commands: Record<string, (...args: never[]) => unknown> = {
    "vaultseek.search": (query?: unknown) => {
      openPalette(server, purpose("Search Vault"), typeof query === "string" ? query : "");
    },
    "vaultseek.searchSemantically": () => {
      openPalette(server, purpose("Search Vault by Meaning", { mode: "vector" }));
    },
    "vaultseek.searchInFolder": (uri?: vscode.Uri) => searchInFolder(server, purpose, uri),
    "vaultseek.insertLink": () => {
      const editor = vscode.window.activeTextEditor;
      openPalette(server, {
        ...purpose("Insert Link"),
        accept: async (result) => {
          await insert(editor, await linkTo(result));
        },
      });
    },
    "vaultseek.related": () => vscode.commands.executeCommand("vaultseek.relatedView.focus"),
    "vaultseek.why": () => why(explanations, lastQuery),
    "vaultseek.index.update": () => runIndexCommand(server, status, COMMAND_UPDATE, "Updating Vaultseek's index"),
    "vaultseek.index.rebuild": () => runIndexCommand(server, status, COMMAND_REBUILD, "Rebuilding Vaultseek's index"),
    "vaultseek.index.clear": () => clear(server, status),
    "vaultseek.index.stop": () => status.stop(),
    "vaultseek.showStatus": () => status.report(output),
    "vaultseek.showLog": () => {
      output.show();
    },
    "vaultseek.restart": () => server.restart(),
    "vaultseek.setKey": async () => {
      if (await setKey(context.secrets)) {
        await server.restart();
      }
    },
    "vaultseek.showInstall": () =>
      vscode.commands.executeCommand("markdown.showPreview", vscode.Uri.joinPath(context.extensionUri, "media", "install.md")),
    "vaultseek.openRelated": (note: WireRelated) => opener.open(note),
    "vaultseek.related.openAside": (note: WireRelated) => opener.open(note, { isAside: true }),
    "vaultseek.openText": async (row: Row) => {
      const result = targetOf(row);
      await (result === undefined ? undefined : opener.openText(result, { isPreview: false }));
    },
    "vaultseek.openWithSystem": async (row: Row | vscode.Uri) => {
      const target = row instanceof vscode.Uri ? undefined : targetOf(row);
      const file = row instanceof vscode.Uri ? fileOf(row) : target && vscode.Uri.parse(target.uri, true);
      await (file?.scheme === "file" ? openWithSystem(file) : undefined);
    },
    "vaultseek.related.insert": async (note: WireRelated) => {
      await insert(vscode.window.activeTextEditor, await linkTo(note));
    },
  };
  for (const [id, run] of Object.entries(commands)) {
    context.subscriptions.push(vscode.commands.registerCommand(id, guarded(run, output)));
  }
  context.subscriptions.push(
    output,
    server,
    status,
    related,
    texts,
    vscode.window.registerWebviewViewProvider("vaultseek.searchView", searchView),
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, explanations),
    ...offerToAssistants(server, version, (message) => {
      output.warn(message);
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void server.restart().catch(() => undefined)),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (["server", "embedding", "chat", "rerank"].some((name) => event.affectsConfiguration(`vaultseek.${name}`))) {
        void server.restart().catch(() => undefined); // its program or its keys have changed
      } else if (event.affectsConfiguration("vaultseek")) {
        void server.settingsChanged().catch((error: unknown) => {
          output.warn(messageOf(error));
        });
      }
    }),
  );
  server.ready().catch((error: unknown) => {
    output.warn(messageOf(error));
  });
  void welcome(context.globalState);
}

/** What a menu is about: a row of the related notes, or the id of a row of the search view. */
type Row = Target | { readonly id: string };

/** Wraps a command so that a failure is shown once, in one sentence. */
function guarded(run: (...args: never[]) => unknown, output: vscode.LogOutputChannel) {
  return async (...args: never[]): Promise<void> => {
    try {
      await run(...args);
    } catch (error) {
      output.error(messageOf(error));
      if (!(error instanceof NoServer)) {
        void vscode.window.showErrorMessage(`Vaultseek: ${messageOf(error)}`);
      }
    }
  };
}

type MakePurpose = (title: string, options?: SearchOptions) => Purpose;

async function searchInFolder(server: Server, purpose: MakePurpose, given?: vscode.Uri): Promise<void> {
  const active = vscode.window.activeTextEditor?.document.uri;
  const folder = given ?? (active === undefined ? undefined : vscode.Uri.joinPath(active, ".."));
  const path = folder === undefined ? undefined : await folderInVault(server, folder);
  if (path === undefined) {
    void vscode.window.showInformationMessage("Open a note of the vault, or select a folder in the explorer.");
    return;
  }
  openPalette(server, purpose(path === "" ? "Search Vault" : `Search in ${path}`, path === "" ? {} : { folder: path }));
}

async function why(explanations: Explanations, lastQuery: string): Promise<void> {
  const document = vscode.window.activeTextEditor?.document;
  if (document?.languageId !== "markdown") {
    void vscode.window.showInformationMessage("Open the note that you want explained.");
    return;
  }
  const title = nameOf(document.uri.path);
  const query = await vscode.window.showInputBox({ title: `Why (not) ${title}?`, prompt: "Search query", value: lastQuery });
  if (query !== undefined && query.trim() !== "") {
    await explanations.show(query, document.uri.toString(), title);
  }
}

async function clear(server: Server, status: Status): Promise<void> {
  const question = "Delete all vectors of this vault? They are computed again when they are needed.";
  if ((await vscode.window.showWarningMessage(question, { modal: true }, "Delete")) === "Delete") {
    await runIndexCommand(server, status, COMMAND_CLEAR, "Clearing Vaultseek's index");
  }
}

async function insert(editor: vscode.TextEditor | undefined, link: string): Promise<void> {
  if (editor === undefined) {
    await vscode.env.clipboard.writeText(link);
    vscode.window.setStatusBarMessage(`$(clippy) No note is open, so ${link} was copied to the clipboard.`, 5_000);
    return;
  }
  const shown = await vscode.window.showTextDocument(editor.document, { viewColumn: editor.viewColumn ?? vscode.ViewColumn.Active });
  await shown.edit((edit) => {
    for (const selection of editor.selections) {
      edit.replace(selection, link);
    }
  });
}
