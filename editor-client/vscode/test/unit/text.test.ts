import assert from "node:assert/strict";
import { test } from "node:test";
import { masked, newNoteFolder, pathIn, wikilink } from "../../src/text";

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
