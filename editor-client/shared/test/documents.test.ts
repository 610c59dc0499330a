import assert from "node:assert/strict";
import { test } from "node:test";
import { isDocument } from "../documents";

test("only documents, pictures, sound and video are left to the system", () => {
  assert.deepEqual(["a.pdf", "a.PNG", "a.mp4", "-rf.docx", "a.html", ".pdf"].map(isDocument), Array(6).fill(true));
  const programs = ["a.exe", "a.desktop", "a.app", "a.command", "a.bat", "a.sh", "a.svg.lnk", "a.pdf.js", "a", "pdf", "a.docm", "a.jar", "a.url", "a.zip", "a.pdf.", "a.pdf ", ""];
  assert.deepEqual(programs.filter(isDocument), []);
});
