// Tests the packed extension (.vsix) in a real VS Code with the real server.
//
//   node test/e2e/suite.mjs PATH/TO/vaultseek PATH/TO/handbook FOLDER_FOR_PICTURES
//
// A check that fails is tried once more, and both attempts are reported.
// ONLY=expression runs only the checks whose names match, after the one that opens the window.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { checks as index } from "./checks/index.mjs";
import { checks as looks } from "./checks/looks.mjs";
import { checks as opening } from "./checks/opening.mjs";
import { checks as palette } from "./checks/palette.mjs";
import { checks as roots } from "./checks/roots.mjs";
import { checks as safety } from "./checks/safety.mjs";
import { checks as server } from "./checks/server.mjs";
import { checks as sidebar } from "./checks/sidebar.mjs";
import { Editor, until } from "./editor.mjs";
import { Endpoint } from "./endpoint.mjs";
import { makeVault, makeWorkspace } from "./vaults.mjs";

const only = new RegExp(process.env.ONLY ?? "", "u");
const WHOLE_MS = 40 * 60_000; // the suite ends even if something hangs
const MOST_BYTES = 1_000_000;

const [program, handbook, pictures] = process.argv.slice(2).map((path) => resolve(path));
const vsix = resolve("vaultseek.vsix");
const parent = mkdtempSync(join(tmpdir(), "vaultseek-e2e-"));
const editor = new Editor(pictures);
const endpoint = await Endpoint.start();
const strangers = { endpoint: await Endpoint.start(), trace: join(parent, "was started"), program: join(parent, "stranger.sh"), elsewhere: join(parent, "elsewhere") };

/** A program that leaves a trace when a folder's settings make something start it. */
function makeStranger() {
  writeFileSync(strangers.program, `#!/bin/sh\ntouch '${strangers.trace}'\n`);
  chmodSync(strangers.program, 0o755);
}

function packStandIn(name) {
  const file = join(parent, `${name}.vsix`);
  execFileSync(process.execPath, [resolve("node_modules/@vscode/vsce/vsce"), "package", "--no-dependencies", "--allow-missing-repository", "--skip-license", "-o", file], {
    cwd: resolve(import.meta.dirname, "stand-in", name),
    stdio: "pipe",
  });
  return file;
}

const makeWorld = () => {
  makeStranger();
  const theirs = { baseUrl: strangers.endpoint.baseUrl, model: "words" };
  const settings = {
    "vaultseek.server.command": [strangers.program],
    "vaultseek.server.allowRunners": true,
    "vaultseek.embedding": theirs,
    "vaultseek.chat": theirs,
    "vaultseek.rerank": theirs,
    "vaultseek.indexFolder": strangers.elsewhere,
    "vaultseek.vaults": [parent],
  };
  const vault = makeVault(parent, handbook, { settings, program: strangers.program });
  return { vault, workspace: makeWorkspace(parent, vault), program, python: join(dirname(program), "python"), endpoint, strangers };
};

const first = {
  "install: the packed extension has the files on the list, is small and is installed": async (_editor, { vault, python }) => {
    const rows = execFileSync(python, ["-m", "zipfile", "-l", vsix], { encoding: "utf8" }).trim().split("\n").slice(1);
    const names = rows.map((row) => row.split(/\s+/u)[0]).sort();
    assert.deepEqual(names, readFileSync("test/packed.txt", "utf8").trim().split("\n"));
    assert.ok(statSync(vsix).size < MOST_BYTES, `${statSync(vsix).size} bytes`);
    assert.match(editor.install(vsix, packStandIn("python"), packStandIn("hands")), /^vaultseek\.vaultseek@/mu);
    editor.prepare({});
    editor.prepareMachine({ "vaultseek.server.command": [program, "serve"] });
    await editor.start();
    await editor.open(vault);
    await until(() => editor.servers().length === 1, "the server");
  },
};

let n_pictures = 0;

/** Runs a check and prints the outcome; says whether it passed. */
async function passes(name, run, world, note = "") {
  const start = Date.now();
  const took = () => `${((Date.now() - start) / 1000).toFixed(1)} s${note}`;
  try {
    await run(editor, world);
    console.log(`ok      ${name} (${took()})`);
    return true;
  } catch (error) {
    n_pictures += 1;
    await editor.screenshot(`failed-${n_pictures}`).catch(() => undefined);
    console.log(`FAILED  ${name} (${took()}), picture failed-${n_pictures}.png\n${String(error?.stack ?? error)}`);
    return false;
  }
}

async function runAll(world) {
  const failed = [];
  let n = 0;
  for (const [name, run] of Object.entries({ ...first, ...palette, ...sidebar, ...looks, ...index, ...server, ...opening, ...safety, ...roots })) {
    if (!(name in first) && !only.test(name)) {
      continue;
    }
    n += 1;
    if (await passes(name, run, world)) {
      continue;
    }
    if (name in first) {
      failed.push(name);
      break;
    }
    // On a busy machine code-server itself sometimes opens an empty window or loses a command.
    await editor.recover().catch(() => undefined);
    if (!(await passes(name, run, world, ", second attempt"))) {
      failed.push(name);
      await editor.recover().catch(() => undefined);
    }
  }
  return { n, failed };
}

let ending;
/** Ends everything once, including this process. */
function end(code) {
  ending ??= (async () => {
    writeFileSync(join(pictures, "server.log"), editor.log());
    const killed = await editor.stop();
    endpoint.stop();
    strangers.endpoint.stop();
    rmSync(parent, { recursive: true, force: true });
    for (const command of killed) {
      console.log(`had to be killed: ${command}`);
    }
    process.exit(code);
  })();
  return ending;
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => void end(1));
}
process.on("uncaughtException", (error) => {
  console.log(error);
  void end(1);
});
setTimeout(() => {
  console.log(`FAILED  not done after ${WHOLE_MS / 60_000} minutes`);
  void editor.screenshot("failed-late").catch(() => undefined).finally(() => end(1));
}, WHOLE_MS).unref();

const began = Date.now();
const { n, failed } = await runAll(makeWorld());
const minutes = ((Date.now() - began) / 60_000).toFixed(1);
console.log(failed.length === 0 ? `${n} passed in ${minutes} min` : `${failed.length} failed, ${n - failed.length} passed in ${minutes} min; pictures and the server's log are in ${pictures}`);
await end(failed.length === 0 ? 0 : 1);
