import assert from "node:assert/strict";
import { test } from "node:test";
import { matchOf } from "../match";
import type { WireRange, WireSnippet } from "../wire";

function range(line: number, character = 0): WireRange {
  return { start: { line, character }, end: { line, character } };
}

function snippet(line: number, highlights: WireRange[]): WireSnippet {
  return { text: "", range: range(line), highlights, marks: [] };
}

test("a result opens at its first match, else at the excerpt, else at its heading", () => {
  const sections = [{ heading: "Birds", line: 7 }] as never;
  const snippets = [snippet(1, [range(1, 4), range(2, 0)]), snippet(5, [])];
  assert.deepEqual(matchOf({ snippets, sections }), range(1, 4));
  assert.deepEqual(matchOf({ snippets, sections }, 1), range(5));
  assert.deepEqual(matchOf({ snippets, sections }, 2), range(7));
  assert.equal(matchOf({ snippets: [], sections: [] }), undefined);
});
