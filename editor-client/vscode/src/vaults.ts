// Which vault is meant, and what lies in it.

import * as vscode from "vscode";
import { newNoteFolder, nameOf, wikilink } from "./text";

/** The workspace folder of the active note, else the only one; undefined: the server says which vaults there are. */
export function currentFolder(): vscode.WorkspaceFolder | undefined {
  const uri = vscode.window.activeTextEditor?.document.uri;
  const own = uri === undefined ? undefined : vscode.workspace.getWorkspaceFolder(uri);
  return own ?? vscode.workspace.workspaceFolders?.[0];
}

/** The vault to name in a request: none where only one folder is open. */
export function vaultToName(): { vault?: string } {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const folder = currentFolder();
  return folders.length > 1 && folder !== undefined ? { vault: folder.uri.toString() } : {};
}

/** A wikilink to the note that a search found. */
export async function linkTo(id: string): Promise<string> {
  const name = nameOf(id).replace(/[[\]{}?*\\]/gu, "?");
  const same = await vscode.workspace.findFiles(`**/${name}.{md,markdown}`, "**/{node_modules,.trash}/**", 2);
  return wikilink(id, same.length < 2);
}

/** The folder for a new note, as the client's setting or Obsidian's settings name it. */
export async function folderForNewNotes(root: vscode.Uri): Promise<vscode.Uri> {
  const own = vscode.workspace.getConfiguration("vaultseek", root).get<string>("newNoteFolder") ?? "";
  if (own !== "" && !own.split(/[\\/]/u).includes("..")) {
    return vscode.Uri.joinPath(root, own);
  }
  try {
    const bytes = await vscode.workspace.fs.readFile(vscode.Uri.joinPath(root, ".obsidian", "app.json"));
    const active = vscode.window.activeTextEditor?.document.uri;
    const isInside = active !== undefined && vscode.workspace.getWorkspaceFolder(active)?.uri.toString() === root.toString();
    const current = isInside ? vscode.workspace.asRelativePath(vscode.Uri.joinPath(active, ".."), false) : "";
    return vscode.Uri.joinPath(root, newNoteFolder(JSON.parse(new TextDecoder().decode(bytes)), current));
  } catch {
    return root;
  }
}
