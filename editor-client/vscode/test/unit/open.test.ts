import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import type * as vscode from "vscode";
import type { WireSnippet } from "../../../shared/wire";
import { Opener, openWithSystem, type Target } from "../../src/open";
import { commands, env, extensions, Uri, world } from "./vscode";

const MATCH = { start: { line: 7, character: 2 }, end: { line: 7, character: 6 } };
const BEGINNING = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };

const target = (name: string, snippet: Partial<WireSnippet> = {}): Target => ({
  uri: `file:///vault/${name}`,
  sections: [],
  snippets: [{ text: "x", range: BEGINNING, highlights: [], marks: [], textRange: MATCH, ...snippet }],
});

const texts: unknown[][] = [];
const opener = new Opener({
  show: (file, place, fragment) => {
    texts.push([file, place, fragment]);
    return Promise.resolve();
  },
});

beforeEach(() => {
  texts.length = commands.executed.length = env.opened.length = extensions.all.length = 0;
  env.remoteName = undefined;
  world.settings.clear();
});

const opened = () => commands.executed.map(([command, uri, how]) => [command, String(uri), (how as { selection?: unknown }).selection !== undefined]);

test("a PDF that nothing in VS Code shows opens as its text, at the match", async () => {
  await opener.open(target("paper.pdf", { fragment: "page=12" }));
  assert.deepEqual(texts, [["file:///vault/paper.pdf", MATCH, "page=12"]]);
  assert.deepEqual(opened(), []);
});

test("a PDF opens at its page in the user's editor for it", async () => {
  extensions.all.push({ packageJSON: { contributes: { customEditors: [{ selector: [{ filenamePattern: "*.pdf" }] }] } } });
  await opener.open(target("paper.pdf", { fragment: "page=12" }));
  assert.deepEqual(opened(), [["vscode.open", "file:///vault/paper.pdf#page=12", false]]);
  await opener.openOtherwise(target("paper.pdf", { fragment: "page=12" }));
  assert.deepEqual(texts, [["file:///vault/paper.pdf", MATCH, "page=12"]]);
});

test("a canvas opens at the line of its card, and otherwise as its text", async () => {
  const board = target("board.canvas", { fragment: "n1", range: MATCH });
  await opener.open(board);
  assert.deepEqual(opened(), [["vscode.open", "file:///vault/board.canvas", true]]);
  await opener.openOtherwise(board);
  assert.deepEqual(texts, [["file:///vault/board.canvas", MATCH, "n1"]]);
});

test("an image opens in VS Code, and otherwise with the system's program", async () => {
  const image: Target = { ...target("map.png"), snippets: [{ text: "x", range: BEGINNING, highlights: [], marks: [] }] };
  await opener.open(image);
  await opener.openOtherwise(image);
  assert.deepEqual(opened(), [["vscode.open", "file:///vault/map.png", true]]);
  assert.deepEqual(env.opened.map(String), ["file:///vault/map.png"]);
});

test("what can be a program is not left to the system, and neither is a file on another machine", async () => {
  const uri = (name: string): vscode.Uri => Uri.parse(`file:///vault/${name}`) as unknown as vscode.Uri;
  for (const name of ["run.exe", "a.desktop", "a.command", "Makefile"]) {
    await assert.rejects(openWithSystem(uri(name)), /could be a program/u);
  }
  env.remoteName = "ssh-remote";
  await assert.rejects(openWithSystem(uri("paper.pdf")), /another machine/u);
  assert.deepEqual(env.opened, []);
});
