import assert from "node:assert/strict";
import { test } from "node:test";
import { isIncompatible, isOlder } from "../version";

test("versions fit each other if they speak the same protocol", () => {
  const cases: [string, string, boolean][] = [
    ["0.1.0", "0.1.7", false],
    ["0.1.0", "0.2.0", true],
    ["1.2.0", "1.9.0", false],
    ["2.0.0", "1.9.0", true],
    ["", "0.1.0", true],
    ["unknown", "0.1.0", false],
    ["0.1.0.dev3+g12", "0.1.0", false],
  ];
  for (const [server, client, expected] of cases) {
    assert.equal(isIncompatible(server, client), expected, `${server} ${client}`);
  }
});

test("versions are compared by their numbers", () => {
  assert.deepEqual([isOlder("0.1.0", "0.10.0"), isOlder("0.10.0", "0.2.0"), isOlder("0.1.0", "0.1.0")], [true, false, false]);
});
