import assert from "node:assert/strict";
import { test } from "node:test";
import { details } from "../state";
import type { WireSemantic, WireVault } from "../wire";

const semantic: WireSemantic = {
  model: "toy@1", notes: 3, vectors: 9, missing: 0, gists: 3, missingGists: 0, unreadable: 0,
  cacheBytes: 77, folder: "/cache", filling: false,
};
const garden: WireVault = {
  uri: "file:///garden", name: "garden", state: "ready", notes: 5, pending: 0, generation: 1, openNotes: 0,
  skipped: [], notices: [], semantic,
};

test("notes that the model cannot read are counted, if there are any", () => {
  const told = "  2 notes in a language or script that toy@1 cannot read";
  assert.ok(details({ ...garden, semantic: { ...semantic, unreadable: 2 } }).includes(told));
  assert.equal(details(garden).length, 2);
});
