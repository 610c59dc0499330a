import assert from "node:assert/strict";
import { test } from "node:test";
import type * as vscode from "vscode";
import type { WireRelated } from "../../../shared/wire";
import { RelatedNotes, relatedParams } from "../../src/related";
import type { Server } from "../../src/server/client";
import { world } from "./vscode";

const note = (id: string, isLinked = false) => ({ id, uri: `file:///vault/${encodeURI(id)}`, title: id.replace(/\.md$/u, ""), reason: "Shares words.", isLinked }) as WireRelated;
const noServer: unknown = undefined; // no request is sent
const related = new RelatedNotes(noServer as Server);

test("dragged notes become links as plain text, by path if the name is not unique", async () => {
  world.files = new Map(["/vault/Orchid $x$.md", "/vault/a/Note.md", "/vault/b/Note.md", "/other vault/Orchid $x$.md"].map((file) => [file, ""]));
  const data = new Map<string, { value: unknown }>();
  await related.handleDrag([note("Orchid $x$.md"), note("b/Note.md")], data as unknown as vscode.DataTransfer);
  assert.deepEqual([...data].map(([type, { value }]) => [type, value]), [["text/plain", "[[Orchid $x$]]\n[[b/Note]]"]]);
  assert.deepEqual(related.dragMimeTypes, [...data.keys()]);
});

test("a row's accessible label has its reason and whether it is already linked", () => {
  const labels = [note("Orchid.md", true), note("Fern.md")].map((one) => related.getTreeItem(one).accessibilityInformation?.label);
  assert.deepEqual(labels, ["Orchid, already linked. Shares words.", "Fern. Shares words."]);
});

test("notes that are linked already are listed last, or as the setting says", () => {
  const place: unknown = { toString: () => "file:///vault/Orchid.md" };
  const uri = place as vscode.Uri;
  world.settings.delete("related.linked");
  assert.deepEqual(relatedParams(uri), { textDocument: { uri: "file:///vault/Orchid.md" }, linked: "last", limit: 20 });
  world.settings.set("related.linked", "exclude");
  assert.equal(relatedParams(uri).linked, "exclude");
  world.settings.delete("related.linked");
});
