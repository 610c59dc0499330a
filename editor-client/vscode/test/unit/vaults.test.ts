import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import type * as vscode from "vscode";
import type { Server } from "../../src/server/client";
import { folderForNewNotes, folderInVault } from "../../src/vaults";
import { Uri, window, world } from "./vscode";

const uri = (path: string) => Uri.file(path) as unknown as vscode.Uri;
/** A server that reports these vaults. */
const knowing = (...roots: string[]): Pick<Server, "request"> => ({
  request: <A>() => Promise.resolve({ vaults: roots.map((root) => ({ uri: Uri.file(root).toString() })) } as A),
});
const none: Pick<Server, "request"> = { request: () => Promise.reject(new Error("no server")) };

beforeEach(() => {
  world.files = new Map([["/vault/.obsidian/app.json", JSON.stringify({ newFileLocation: "folder", newFileFolderPath: "Inbox" })]]);
  world.links = new Set();
  world.open = "/vault/Ünï $x/part";
  world.settings = new Map();
  window.activeTextEditor = undefined;
});

test("new notes go to the folder in the settings of the surrounding vault", async () => {
  assert.equal((await folderForNewNotes(knowing("/vault"), uri(world.open))).path, "/vault/Inbox");
});

test("they go to the folder in the setting, inside the vault only", async () => {
  world.settings.set("newNoteFolder", "Own");
  assert.equal((await folderForNewNotes(knowing("/vault"), uri(world.open))).path, "/vault/Own");
  world.settings.set("newNoteFolder", "../elsewhere");
  assert.equal((await folderForNewNotes(knowing("/vault"), uri(world.open))).path, "/vault/Inbox");
});

test("they go next to the open note if the vault's settings say so", async () => {
  world.files.set("/vault/.obsidian/app.json", JSON.stringify({ newFileLocation: "current" }));
  window.activeTextEditor = { document: { uri: Uri.file("/vault/other/Note.md") } };
  assert.equal((await folderForNewNotes(knowing("/vault"), uri(world.open))).path, "/vault/other");
  window.activeTextEditor = { document: { uri: Uri.file("/elsewhere/Note.md") } };
  assert.equal((await folderForNewNotes(knowing("/vault"), uri(world.open))).path, "/vault");
});

test("settings that are a link or too large are not read", async () => {
  world.links.add("/vault/.obsidian/app.json");
  assert.equal((await folderForNewNotes(knowing("/vault"), uri(world.open))).path, "/vault");
  world.links.clear();
  const large = JSON.stringify({ newFileLocation: "folder", newFileFolderPath: "Inbox", filler: "x".repeat(1_000_000) });
  world.files.set("/vault/.obsidian/app.json", large);
  assert.equal((await folderForNewNotes(knowing("/vault"), uri(world.open))).path, "/vault");
});

test("they go to the open folder if there is no vault", async () => {
  assert.equal((await folderForNewNotes(none, uri(world.open))).path, world.open);
  assert.equal((await folderForNewNotes(knowing("/other"), uri(world.open))).path, world.open);
});

test("a folder's path is relative to the innermost vault", async () => {
  const path = (server: Pick<Server, "request">, folder: string) => folderInVault(server, uri(folder));
  assert.equal(await path(knowing("/vault"), "/vault/Ünï $x/part"), "Ünï $x/part");
  assert.equal(await path(knowing("/vault", "/vault/Ünï $x"), "/vault/Ünï $x/part"), "part");
  assert.equal(await path(knowing("/vault"), "/vault"), "");
  assert.equal(await path(knowing("/vault"), "/vaults/a"), undefined);
  assert.equal(await path(none, "/vault/Ünï $x/part/deep"), "deep");
});
