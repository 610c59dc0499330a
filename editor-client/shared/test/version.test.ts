import assert from "node:assert/strict";
import { test } from "node:test";
import { isOther, mismatch } from "../version";

test("versions fit each other if they speak the same protocol", () => {
  const cases: [string, string, boolean][] = [
    ["0.1.0", "0.1.7", false],
    ["0.1.0", "0.2.0", true],
    ["1.2.0", "1.9.0", false],
    ["2.0.0", "1.9.0", true],
    ["", "0.1.0", true],
    ["0.1.0.dev3+g12", "0.1.0", false],
  ];
  for (const [server, client, expected] of cases) {
    assert.equal(isOther(server, client), expected, `${server} ${client}`);
  }
});

test("the older one is to be updated", () => {
  assert.match(mismatch("0.1.0", "0.10.0", "the extension") ?? "", /update the server\.$/u);
  assert.match(mismatch("0.10.0", "0.2.0", "the extension") ?? "", /update the extension\.$/u);
  assert.match(mismatch("", "0.2.0", "the extension") ?? "", /version unknown.* update the server\.$/u);
  assert.equal(mismatch("0.1.3", "0.1.0", "the extension"), undefined);
});
