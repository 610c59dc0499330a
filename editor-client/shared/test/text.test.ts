import assert from "node:assert/strict";
import { test } from "node:test";
import { around, columns, fileName, folderOf, inShort, nameOf, oneLine, parts } from "../text";

test("an excerpt is split at its marks without losing text", () => {
  const text = "😀 Water the orchid";
  const cut = parts(text, [[13, 19], [3, 8]]);
  assert.deepEqual(cut.filter(({ isMatch }) => isMatch).map((part) => part.text), ["Water", "orchid"]);
  assert.equal(cut.map((part) => part.text).join(""), text);
});

test("invalid marks lose no text", () => {
  for (const marks of [[[5, 2]], [[0, 99]], [[0, 3], [1, 2]], []] as [number, number][][]) {
    assert.equal(parts("orchid", marks).map((part) => part.text).join(""), "orchid");
  }
});

test("one line shows the first match of a long text", () => {
  const text = `${"x ".repeat(300)}orchid${" y".repeat(300)}`;
  const line = oneLine(text, [[600, 606]], 100);
  assert.ok(line.includes("orchid") && line.length <= 100 && line.startsWith("…") && line.endsWith("…"));
  assert.equal(oneLine("a\n b", [], 100), "a b");
});

/** The texts of the marks. */
function marked({ text, marks }: { text: string; marks: [number, number][] }): string[] {
  return marks.map(([start, end]) => text.slice(start, end));
}

test("at every width the matches that fit are shown, as many different ones as possible", () => {
  const text = "Tea, tea and tea. Bag of ice on the limit switch of the shed door, after the storm";
  const marks: [number, number][] = [[0, 3], [5, 8], [13, 16], [36, 41], [42, 48]];
  for (let width = 14; width <= text.length + 2; width += 1) {
    const shown = around(text, marks, width);
    assert.ok(columns(shown.text) <= width, `${width}: ${shown.text}`);
    assert.ok(["limit", "switch"].every((word) => marked(shown).includes(word)), `${width}: ${shown.text}`);
    assert.ok(text.includes(shown.text.replace(/^…|…$/gu, "")));
  }
  assert.deepEqual(marked(around(text, [[36, 41]], 4)), ["li"]); // a match wider than the row is shown from its start
  assert.deepEqual(around(text, marks, 200).text, text);
});

test("wide characters take two columns and are never cut in two", () => {
  const text = `${"今日は構造化".repeat(6)}知識${"を学ぶ😀".repeat(6)}`;
  assert.equal(columns("知e\u0301😀"), 5);
  for (let width = 6; width <= 80; width += 1) {
    const shown = around(text, [[36, 38]], width);
    assert.deepEqual(marked(shown), ["知識"], `${width}`);
    assert.ok(columns(shown.text) <= width && !/\p{Cs}/u.test(shown.text));
  }
});

test("one line starts and ends with whole words", () => {
  const text = "The long forum says that it creeps under the coating at the bevel, and the same care in German lasts for " + "ever ".repeat(9);
  assert.equal(oneLine(text, [[80, 84]], 40), "…and the same care in German lasts for…");
});

test("an id is split into folder and name", () => {
  assert.deepEqual([folderOf("a/b/Note.md"), folderOf("Note.md")], ["a/b", ""]);
  assert.deepEqual(["a/b.c.md", "X.MD", "y.markdown"].map(nameOf), ["b.c", "X", "y"]);
});

test("a shortened message is its first part, in whole words", () => {
  assert.equal(inShort("67 notes have no vectors yet, about 29 s of work left; matches by meaning in them may be missing."), "67 notes have no vectors yet, about 29 s of work left");
  assert.equal(inShort('Did you mean "plug"? Hardly any note contains it.'), 'Did you mean "plug"? Hardly any note contains it');
  assert.equal(inShort("words at 127.0.0.1 and here", 20), "words at 127.0.0.1…");
});

test("typed text becomes a file name that is valid on every system", () => {
  const cases: [string, string | undefined][] = [
    ["limit switch", "limit switch.md"],
    ["a/b: c?", "a b c.md"],
    ["[[x]]#y|z^q", "x y z q.md"],
    ["...", undefined],
    ["  ", undefined],
    ["../../etc", "etc.md"],
    ["価格", "価格.md"],
  ];
  for (const [typed, expected] of cases) {
    assert.equal(fileName(typed), expected, typed);
  }
});
