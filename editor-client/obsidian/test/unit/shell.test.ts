import assert from "node:assert/strict";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { between, lookUp } from "../../src/server/shell";
import { temporary } from "./temporary";

/** A shell whose startup files print `before`, and which then runs the script as sh. */
function shell(before: string): string {
  const file = join(temporary("shell"), "shell");
  writeFileSync(file, `#!/bin/sh\n${before}\nshift 3\nvaultseek() { :; }\nalias 2>/dev/null\neval "$1"\n`);
  chmodSync(file, 0o755);
  return file;
}

test("only the line between the markers is the answer", () => {
  assert.equal(between("Welcome!\nM\n/a/vaultseek\nM\nbye\n", "M"), "/a/vaultseek");
  for (const output of ["", "M\nM\n", "Welcome!", "M\ntwo\nlines\nM"]) {
    assert.equal(between(output, "M"), undefined, output);
  }
});

test("what a shell prints at its start is not taken for the answer", { skip: process.platform === "win32" }, async () => {
  const found = await lookUp(shell("echo /evil/vaultseek; echo noise >&2"), "vaultseek", new AbortController().signal);
  assert.equal(found, "vaultseek"); // a function of the shell; `locate` refuses it, because it is no path
});

test("a shell that waits for ever is ended with its children when the search is given up", { skip: process.platform === "win32" }, async () => {
  const abort = new AbortController();
  const found = lookUp(shell("sleep 1000"), "vaultseek", abort.signal);
  abort.abort();
  assert.equal(await found, undefined);
});

test("a shell that does not exist gives no answer", async () => {
  assert.equal(await lookUp("/nowhere/shell", "vaultseek", new AbortController().signal), undefined);
});
