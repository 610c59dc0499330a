// Which vault is meant, and what lies in it.

import * as vscode from "vscode";
import type { Server } from "./server/client";
import { newNoteFolder, nameOf, pathIn, wikilink } from "./text";
import { METHOD_STATUS, type StatusAnswer } from "./wire";

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

/** The root of the vault that a file or folder lies in: of an open folder inside a vault it is above that folder. */
export async function vaultOf(server: Pick<Server, "request">, uri: vscode.Uri): Promise<vscode.Uri | undefined> {
  const open = vscode.workspace.getWorkspaceFolder(uri)?.uri;
  try {
    const { vaults } = await server.request<StatusAnswer>(METHOD_STATUS, {});
    const roots = vaults.map((vault) => vscode.Uri.parse(vault.uri, true)).filter((root) => pathIn(root.path, uri.path) !== undefined);
    return roots.sort((a, b) => b.path.length - a.path.length)[0] ?? open;
  } catch {
    return open;
  }
}

/** A folder as a path in its vault, empty for the vault itself; undefined where it lies in none. */
export async function folderInVault(server: Pick<Server, "request">, folder: vscode.Uri): Promise<string | undefined> {
  const root = await vaultOf(server, folder);
  return root === undefined ? undefined : pathIn(root.path, folder.path);
}

/** A wikilink to a note of a vault: by its name where no other note of that vault has it. */
export async function linkTo({ id, uri }: { readonly id: string; readonly uri: string }): Promise<string> {
  const name = nameOf(id).replace(/[[\]{}?*\\]/gu, "?");
  const root = vscode.Uri.joinPath(vscode.Uri.parse(uri, true), ...id.split("/").map(() => ".."));
  const sameName = new vscode.RelativePattern(root, `**/${name}.{md,markdown}`);
  const same = await vscode.workspace.findFiles(sameName, "**/{node_modules,.trash}/**", 2);
  return wikilink(id, same.length < 2);
}

/** The folder for a new note, as the client's setting or the settings of the vault around an open folder name it. */
export async function folderForNewNotes(server: Pick<Server, "request">, open: vscode.Uri): Promise<vscode.Uri> {
  const root = (await vaultOf(server, open)) ?? open;
  const own = vscode.workspace.getConfiguration("vaultseek", open).get<string>("newNoteFolder") ?? "";
  if (own !== "" && !own.split(/[\\/]/u).includes("..")) {
    return vscode.Uri.joinPath(root, own);
  }
  try {
    const bytes = await vscode.workspace.fs.readFile(vscode.Uri.joinPath(root, ".obsidian", "app.json"));
    const active = vscode.window.activeTextEditor?.document.uri;
    const current = active === undefined ? undefined : pathIn(root.path, vscode.Uri.joinPath(active, "..").path);
    return vscode.Uri.joinPath(root, newNoteFolder(JSON.parse(new TextDecoder().decode(bytes)), current ?? ""));
  } catch {
    return root;
  }
}
