import assert from "node:assert/strict";
import { test } from "node:test";
import { adviceOn } from "../../src/server/problems";

test("the older one is to be updated", () => {
  assert.equal(adviceOn({ kind: "version", server: "0.1.0", plugin: "0.10.0" }).title, "Update the server");
  assert.equal(adviceOn({ kind: "version", server: "0.10.0", plugin: "0.2.0" }).title, "Update the plugin");
});

test("without a server the card says what to install, and with a wrong path which setting to correct", () => {
  assert.ok(adviceOn({ kind: "missing" }).lines.includes("pipx install ."));
  assert.match(adviceOn({ kind: "path", path: "/gone", reason: "There is no program at this path." }).sentences.join(" "), /“Path of the server” is “\/gone”/u);
});

test("a server that keeps ending shows its last lines only", () => {
  const log = Array.from({ length: 50 }, (_each, at) => `line ${at}`);
  assert.deepEqual(adviceOn({ kind: "crashing", log }).lines.at(-1), "line 49");
  assert.ok(adviceOn({ kind: "crashing", log }).lines.length < 10);
});
