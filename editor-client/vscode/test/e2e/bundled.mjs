// Tests the extension that has its own server in a real VS Code, on a machine that has no other: nothing is on the PATH.
//
//   node test/e2e/bundled.mjs PATH/TO/handbook FOLDER_FOR_PICTURES

import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Editor, until } from "./editor.mjs";
import { makeVault } from "./vaults.mjs";

const MOST_BYTES = 70_000_000;

const [handbook, pictures] = process.argv.slice(2).map((path) => resolve(path));
const vsix = resolve("vaultseek-bundled.vsix");
const parent = mkdtempSync(join(tmpdir(), "vaultseek-bundled-"));
const editor = new Editor(pictures);
editor.env.PATH = join(parent, "nothing");

/** The program of the running server. */
const server = () => until(() => editor.servers().length === 1 && editor.servers()[0].command.replace(/ serve$/u, ""), "the server");

async function findsWithItsOwnServer() {
  await editor.open(makeVault(parent, handbook, { settings: {}, program: process.execPath }));
  await editor.search("orchid care");
  await editor.answered((rows) => rows[0]?.startsWith("Orchid care"), "the note");
  await editor.picture("bundled");
  await editor.page.keyboard.press("Escape");
  assert.match(await server(), /\/extensions\/vaultseek\.vaultseek-[^/]+\/server\/vaultseek$/u);
  assert.match(editor.log(), /Server: .* serve \(from this extension\)/u);
  await editor.command("Vaultseek: Show Status");
  await until(() => /Vaultseek \d+\.\d+\.\d+/u.test(editor.log()), "the version in the status");
}

/** As on a system that is too old for it. */
async function looksElsewhereIfItsServerDoesNotRun() {
  chmodSync(await server(), 0o644);
  await editor.command("Vaultseek: Restart Server");
  await editor.toasts.filter({ hasText: "server is not installed" }).waitFor();
}

let code = 0;
try {
  assert.ok(statSync(vsix).size < MOST_BYTES, `${statSync(vsix).size} bytes`);
  assert.match(editor.install(vsix), /^vaultseek\.vaultseek@/mu);
  await editor.start();
  for (const check of [findsWithItsOwnServer, looksElsewhereIfItsServerDoesNotRun]) {
    await check();
    console.log(`ok      ${check.name}`);
  }
} catch (error) {
  console.log(`FAILED  ${String(error?.stack ?? error)}`);
  await editor.screenshot("failed-bundled").catch(() => undefined);
  code = 1;
} finally {
  writeFileSync(join(pictures, "bundled.log"), editor.log());
  await editor.stop();
  rmSync(parent, { recursive: true, force: true });
}
process.exit(code);
