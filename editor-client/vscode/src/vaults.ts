// Finds the vault of a file, and paths in it.

import * as vscode from "vscode";
import { nameOf } from "../../shared/text";
import { METHOD_STATUS, type StatusAnswer } from "../../shared/wire";
import type { Server } from "./server/client";
import { newNoteFolder, pathIn, wikilink } from "./text";

const MAX_SETTINGS_BYTES = 1_000_000;

/** The workspace folder of the active note, else the only one; undefined if the server must report that it is ambiguous. */
export function currentFolder(): vscode.WorkspaceFolder | undefined {
  const uri = vscode.window.activeTextEditor?.document.uri;
  const own = uri === undefined ? undefined : vscode.workspace.getWorkspaceFolder(uri);
  return own ?? vscode.workspace.workspaceFolders?.[0];
}

/** The vault to name in a request; none if only one folder is open. */
export function vaultToName(): { vault?: string } {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const folder = currentFolder();
  return folders.length > 1 && folder !== undefined ? { vault: folder.uri.toString() } : {};
}

/** The root of the vault that contains a file or folder; it can be a parent of the open folder. */
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

/** A folder's path in its vault, empty for the vault's root; undefined if it is in no vault. */
export async function folderInVault(server: Pick<Server, "request">, folder: vscode.Uri): Promise<string | undefined> {
  const root = await vaultOf(server, folder);
  return root === undefined ? undefined : pathIn(root.path, folder.path);
}

/** A wikilink to a note of a vault: by its name if that is unique in the vault. */
export async function linkTo({ id, uri }: { readonly id: string; readonly uri: string }): Promise<string> {
  const name = nameOf(id).replace(/[[\]{}?*\\]/gu, "?");
  const root = vscode.Uri.joinPath(vscode.Uri.parse(uri, true), ...id.split("/").map(() => ".."));
  const sameName = new vscode.RelativePattern(root, `**/${name}.{md,markdown}`);
  const same = await vscode.workspace.findFiles(sameName, "**/{node_modules,.trash}/**", 2);
  return wikilink(id, same.length < 2);
}

/** The folder for a new note: that of the client's setting, else that of Obsidian's settings in the vault. */
export async function folderForNewNotes(server: Pick<Server, "request">, open: vscode.Uri): Promise<vscode.Uri> {
  const root = (await vaultOf(server, open)) ?? open;
  const own = vscode.workspace.getConfiguration("vaultseek", open).get<string>("newNoteFolder") ?? "";
  if (own !== "" && !own.split(/[\\/]/u).includes("..")) {
    return vscode.Uri.joinPath(root, own);
  }
  try {
    const file = vscode.Uri.joinPath(root, ".obsidian", "app.json");
    const { type, size } = await vscode.workspace.fs.stat(file);
    // Anyone can have made the vault: a pipe never ends, and a link can lead out of it.
    if (type !== vscode.FileType.File || size > MAX_SETTINGS_BYTES) {
      return root;
    }
    const bytes = await vscode.workspace.fs.readFile(file);
    const active = vscode.window.activeTextEditor?.document.uri;
    const current = active === undefined ? undefined : pathIn(root.path, vscode.Uri.joinPath(active, "..").path);
    return vscode.Uri.joinPath(root, newNoteFolder(JSON.parse(new TextDecoder().decode(bytes)), current ?? ""));
  } catch {
    return root;
  }
}
