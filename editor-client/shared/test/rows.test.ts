import assert from "node:assert/strict";
import { test } from "node:test";
import { countInWords, isFold, Rows, weakLast } from "../rows";
import type { SearchAnswer, WireResult } from "../wire";

function results(levels: Record<string, string>): WireResult[] {
  return Object.entries(levels).map(([id, strengthLevel]) => ({ id, strengthLevel }) as unknown as WireResult);
}

const shown = (rows: Rows): string[] => rows.all.map((row) => (isFold(row) ? `${row.nWeak} ${row.isOpen ? "open" : "folded"}` : row.id));
const MIXED = results({ a: "strong", b: "weak", c: "fair", d: "weak" });

test("weak results are folded below the others, and unfolded in their order", () => {
  const rows = new Rows();
  rows.show(MIXED, "q");
  assert.deepEqual(shown(rows), ["a", "c", "2 folded"]);
  rows.move(5);
  assert.deepEqual([rows.isOnFold, rows.current], [true, undefined]);
  rows.toggle();
  assert.deepEqual(shown(rows), ["a", "c", "2 open", "b", "d"]);
  assert.ok(rows.isOnFold);
  rows.move(1);
  assert.equal(rows.current?.id, "b");
  rows.toggle();
  assert.deepEqual([shown(rows), rows.active], [["a", "c", "2 folded"], 2]);
  assert.deepEqual(weakLast(MIXED).map(({ id }) => id), ["a", "c", "b", "d"]);
});

test("what the user unfolded stays so through the parts of an answer, and is folded for another query", () => {
  const rows = new Rows();
  rows.show(MIXED, "q");
  rows.toggle();
  rows.show(MIXED, "q");
  assert.deepEqual([shown(rows).length, rows.active], [5, 2]);
  rows.show(MIXED, "other");
  assert.deepEqual([shown(rows).length, rows.active], [3, 0]);
});

test("a result that the user moved to stays active, also if it turns out to be weak", () => {
  const rows = new Rows();
  rows.show(results({ a: "strong", b: "fair" }), "q");
  rows.move(1);
  rows.show(MIXED, "q");
  assert.deepEqual([rows.current?.id, shown(rows).length], ["b", 5]);
  rows.show(results({ a: "strong" }), "q");
  assert.equal(rows.current?.id, "a");
});

test("results are not folded if all are weak, or if none has a strength", () => {
  const rows = new Rows();
  rows.show(results({ a: "weak", b: "weak" }), "q");
  assert.deepEqual(shown(rows), ["a", "b"]);
  rows.show([{ id: "a" } as unknown as WireResult], "q");
  assert.deepEqual(shown(rows), ["a"]);
  rows.clear();
  assert.deepEqual([shown(rows), rows.current], [[], undefined]);
});

test("the count says if nothing answers well", () => {
  const said = (levels: Record<string, string>, isWhole: boolean): string => {
    const found = results(levels);
    return countInWords({ results: found, total: found.length } as unknown as SearchAnswer, isWhole);
  };
  assert.equal(said({ a: "weak", b: "weak" }, false), "2 notes so far");
  assert.equal(said({ a: "weak", b: "weak" }, true), "2 notes. Nothing answers this well.");
  assert.equal(said({ a: "good", b: "weak" }, true), "2 notes.");
  assert.equal(said({ a: "good" }, true), "1 note.");
  assert.equal(said({}, true), "No notes found.");
});
