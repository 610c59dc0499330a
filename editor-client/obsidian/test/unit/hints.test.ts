import "./world";
import assert from "node:assert/strict";
import { test } from "node:test";
import { CHANGED, CREATED, DELETED, Hints } from "../../src/hints";

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
