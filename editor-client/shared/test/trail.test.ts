import assert from "node:assert/strict";
import { test } from "node:test";
import { arithmetic, shares, short, strengthArithmetic, strengthOf, type Trail } from "../trail";
import type { WireResult } from "../wire";

const TRAIL: Trail = [
  { kind: "found", source: "lexical", raw: 7 },
  { kind: "found", source: "semantic", raw: 0.6 },
  { kind: "fused", source: "lexical", rank: 1, weight: 0.5, amount: 0.5 },
  { kind: "fused", source: "semantic", rank: 2, weight: 0.5, amount: 0.3 },
  { kind: "scaled", by: "folder", factor: 1.1, why: "2 of 2 notes" },
  { kind: "scaled", by: "title", factor: 1, why: "exact title" },
  { kind: "replaced", by: "normalize", value: 0.98, why: "minmax" },
];

test("shares add up to the score before normalization", () => {
  const found = shares(TRAIL);
  assert.deepEqual(found.map(({ name }) => name), ["lexical", "semantic", "folder"]);
  // (.5 + .3) * 1.1 = .88
  assert.ok(Math.abs(found.reduce((sum, { amount }) => sum + amount, 0) - 0.88) < 1e-12);
});

test("a score without a fusion is the raw value", () => {
  assert.deepEqual(shares([{ kind: "found", source: "words", raw: 2 }]), [{ name: "words", amount: 2, why: "as measured" }]);
});

test("a factor below one has a negative share", () => {
  const [, less] = shares([...TRAIL.slice(0, 3), { kind: "scaled", by: "length", factor: 0.5, why: "long" }]);
  assert.equal(less?.amount, -0.25);
});

test("an empty trail has no shares", () => {
  assert.deepEqual(shares([]), []);
});

test("the arithmetic has one line per step and one for the score", () => {
  const result = { score: 0.98, explanation: { trail: TRAIL } } as unknown as WireResult;
  const lines = arithmetic(result);
  assert.equal(lines.length, TRAIL.length + 1);
  assert.equal(lines[4], "× 1.1  folder: 2 of 2 notes");
});

test("numbers have three significant digits", () => {
  assert.deepEqual([0.123456, 12, 0, undefined].map(short), ["0.123", "12", "0", ""]);
});

const STRENGTH = {
  value: 0.6,
  words: [
    { word: "oak", idf: 2, weight: 2, quality: 0.63, match: "stem", form: "oaks", field: "body", isNear: true },
    { word: "yesterday", idf: 5, weight: 5, quality: 0.8, match: "meant", isNear: false },
    { word: "elm", idf: 3, weight: 3, quality: 0, isNear: false },
  ],
  coverage: 0.5, nearness: 0.25, byWords: 0.45, byMeaning: 0.3,
};
const explained = (strength?: object): WireResult => ({ explanation: { trail: [], strength } }) as unknown as WireResult;

test("the arithmetic of a strength has a line for each fact", () => {
  const facts = [
    "oak, weight 2: stem oaks in body, quality 0.63, near the others",
    "yesterday, weight 5: meant, quality 0.8",
    "elm, weight 3: no match, quality 0",
    "words 0.45: coverage 0.5, nearness 0.25",
  ];
  assert.deepEqual(strengthArithmetic(explained(STRENGTH)), [...facts, "strength 0.6"]);
  assert.deepEqual(strengthArithmetic(explained({ ...STRENGTH, cosine: 0.5, floor: 0.2, ceiling: 0.6 })), [
    ...facts, "meaning 0.3: cosine 0.5 between 0.2 and 0.6", "strength 0.6",
  ]);
  assert.deepEqual(strengthArithmetic(explained({ ...STRENGTH, exactName: "Oak", value: 1 })), ["the query is the name “Oak”", "strength 1"]);
  assert.deepEqual(strengthArithmetic(explained()), []);
});

test("a list shows the strength, not the score", () => {
  assert.equal(strengthOf({ score: 0.98, strength: 0.5 } as WireResult), "0.50");
  assert.equal(strengthOf({ score: 0.98 } as WireResult), "");
});
