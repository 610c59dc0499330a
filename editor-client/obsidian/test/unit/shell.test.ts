import assert from "node:assert/strict";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { between, lookUp } from "../../src/server/shell";
import { isAlive } from "./real";
import { temporary } from "./temporary";

/** A shell whose startup files print `before`, and which then runs the script as sh. */
function shell(before: string): string {
  const file = join(temporary("shell"), "shell");
  writeFileSync(file, `#!/bin/sh\n${before}\nshift 3\nvaultseek() { :; }\nalias 2>/dev/null\neval "$1"\n`);
  chmodSync(file, 0o755);
  return file;
}

/** A script that waits for ever for a child, and that child's process id. */
function waiting(): { script: string; child: () => Promise<number> } {
  const note = join(temporary("pid"), "pid");
  return {
    script: `sleep 1000 & echo $! >"${note}.new"; mv "${note}.new" "${note}"; wait`,
    child: async () => {
      while (!existsSync(note)) {
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      return Number(readFileSync(note, "utf8"));
    },
  };
}

/** Waits until a process is gone; a killed one is, once its parent was told. */
async function ended(pid: number): Promise<void> {
  while (isAlive(pid)) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
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
  const { script, child } = waiting();
  const abort = new AbortController();
  const found = lookUp(shell(script), "vaultseek", abort.signal);
  const pid = await child();
  abort.abort();
  assert.equal(await found, undefined);
  await ended(pid);
});

test("a shell that waits for ever is given up after a while", { skip: process.platform === "win32" }, async () => {
  const { script, child } = waiting();
  assert.equal(await lookUp(shell(script), "vaultseek", new AbortController().signal, 1_000), undefined);
  await ended(await child());
});

test("a shell that does not exist gives no answer", async () => {
  assert.equal(await lookUp("/nowhere/shell", "vaultseek", new AbortController().signal), undefined);
});
