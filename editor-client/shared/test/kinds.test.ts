import assert from "node:assert/strict";
import { test } from "node:test";
import { FILE_TYPES, KINDS, typesOf } from "../kinds";

test("the toggle finds all files, only notes, or only other files", () => {
  assert.deepEqual(KINDS.map(({ value }) => typesOf(value)), [{}, { types: ["md"] }, { types: FILE_TYPES }]);
  assert.deepEqual(typesOf(undefined), {});
  assert.ok(!FILE_TYPES.includes("md"));
});
