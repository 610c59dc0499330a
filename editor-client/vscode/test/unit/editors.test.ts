import assert from "node:assert/strict";
import { test } from "node:test";
import { hasEditor } from "../../src/editors";

const viewer = (filenamePattern: string, priority?: string) => [
  { packageJSON: { contributes: { customEditors: [{ viewType: "viewer", selector: [{ filenamePattern }], ...(priority === undefined ? {} : { priority }) }] } } },
];

test("an extension's editor for a type of files is known by its pattern", () => {
  for (const pattern of ["*.pdf", "**/*.PDF", "*.{djvu,pdf}", "{*.djvu,*.pdf}", "*.[pP][dD][fF]", "paper.pdf"]) {
    assert.ok(hasEditor("Paper.PDF", viewer(pattern), undefined), pattern);
  }
  for (const pattern of ["*.djvu", "pdf", "*.pdf.txt", "other.pdf", "*"]) {
    assert.ok(!hasEditor("paper.pdf", viewer(pattern), undefined), pattern);
  }
});

test("an editor that is only an option is none, and neither is an odd manifest", () => {
  assert.ok(!hasEditor("paper.pdf", viewer("*.pdf", "option"), {}));
  const odd = [{ packageJSON: {} }, { packageJSON: { contributes: { customEditors: [{}, { selector: [{}] }] } } }];
  assert.ok(!hasEditor("paper.pdf", odd, null));
});

test("what the user chose wins", () => {
  assert.ok(hasEditor("paper.pdf", viewer("*.pdf", "option"), { "*.pdf": "viewer" }));
  assert.ok(!hasEditor("paper.pdf", viewer("*.pdf"), { "*.pdf": "default" }));
});
