import assert from "node:assert/strict";
import { test } from "node:test";
import { KINDS, typesOf } from "../kinds";

test("only notes are searched with the toggle on notes, and all files otherwise", () => {
  assert.deepEqual(KINDS.map(({ value }) => typesOf(value)), [{}, { types: ["md"] }]);
  assert.deepEqual(typesOf(undefined), {});
});
