import assert from "node:assert/strict";
import { test } from "node:test";
import { CHANGED, CREATED, DELETED, Hints } from "../../src/hints";
import { until } from "./app";

interface Sent {
  readonly changes: readonly { readonly uri: string; readonly type: number }[];
}

test("only the last change of a file is sent", () => {
  const sent: Sent[] = [];
  const hints = new Hints("/vault", (params) => sent.push(params as Sent));
  hints.add("a.md", CREATED);
  hints.add("b.md", CHANGED);
  hints.add("a.md", DELETED);
  hints.flush();
  hints.flush();
  assert.deepEqual(sent, [{ changes: [{ uri: "file:///vault/a.md", type: DELETED }, { uri: "file:///vault/b.md", type: CHANGED }] }]);
});

test("fifty thousand changes are sent in small groups, the newest first", async () => {
  const sent: Sent[] = [];
  const hints = new Hints("/vault", (params) => sent.push(params as Sent));
  for (let n = 0; n < 50_000; n += 1) {
    hints.add(`${n}.md`, CHANGED);
  }
  hints.flush();
  assert.deepEqual([sent.length, sent[0]?.changes[0]?.uri], [1, "file:///vault/49999.md"]);
  await until(() => sent.length >= 100, "all groups");
  assert.ok(sent.every(({ changes }) => changes.length <= 500));
  assert.equal(new Set(sent.flatMap(({ changes }) => changes.map(({ uri }) => uri))).size, 50_000);
});
