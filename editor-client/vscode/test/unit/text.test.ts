import assert from "node:assert/strict";
import { test } from "node:test";
import { masked, newNoteFolder, pathIn, placeName, wikilink } from "../../src/text";

test("a secret is masked, plain and as JSON writes it", () => {
  const secret = 'k"ey\\';
  assert.equal(masked(`a ${secret} b ${JSON.stringify({ secret })}`, [secret, ""]), 'a — b {"secret":"—"}');
});

test("a path is relative to a folder, whose drive letter can have either case", () => {
  const cases = [["/v", "/v/a/b"], ["/v/", "/v"], ["/v", "/va"], ["/C:/v", "/c:/v/a"], ["/", "/a"]] as const;
  assert.deepEqual(cases.map(([root, path]) => pathIn(root, path)), ["a/b", "", undefined, "a", "a"]);
});

test("a link contains the path if the name is not unique", () => {
  assert.deepEqual([wikilink("a/b.md", true), wikilink("a/b.md", false)], ["[[b]]", "[[a/b]]"]);
});

test("new notes go to the folder in Obsidian's settings", () => {
  assert.equal(newNoteFolder({ newFileLocation: "folder", newFileFolderPath: "/Inbox/" }, "here"), "Inbox");
  assert.equal(newNoteFolder({ newFileLocation: "current" }, "here"), "here");
  for (const odd of [null, 3, {}, { newFileLocation: "folder" }, { newFileLocation: "folder", newFileFolderPath: "../.." }]) {
    assert.equal(newNoteFolder(odd, "here"), "");
  }
});

test("a page is called by its label or number, a cell by its number, a card like its first line", () => {
  const places = [{ fragment: "page=4", label: "iv" }, { fragment: "page=5" }, { fragment: "cell=3" }, { fragment: "n1" }, { fragment: "page=x" }];
  assert.deepEqual(places.map((place) => placeName(place, "  # Oak  ")), ["Page iv", "Page 5", "Cell 3", "# Oak", "# Oak"]);
  assert.equal(placeName({ fragment: "n1" }, " "), "Card");
});
