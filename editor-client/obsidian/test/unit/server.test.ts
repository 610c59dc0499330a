import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import type { Server } from "../../src/server/client";
import { machine } from "../../src/server/machine";
import { METHOD_SEARCH, METHOD_STATUS, type SearchAnswer, type StatusAnswer } from "../../../shared/wire";
import { isAlive, program, serverFor, vault } from "./real";
import { temporary } from "./temporary";

const NOTES = { "Orchid.md": "# Orchid\nWater the orchid on Fridays.\n", "Fern.md": "# Fern\nShade, please.\n" };
const running: Server[] = [];

function start(...args: Parameters<typeof serverFor>) {
  const made = serverFor(...args);
  running.push(made.server);
  return made;
}

after(() => Promise.all(running.map((server) => server.stop())));

const search = (server: Server, query: string, parts: SearchAnswer[] = []) =>
  server.request<SearchAnswer>(METHOD_SEARCH, { query }, { onPart: (part) => parts.push(part) });

test("a search is answered by the real server, in parts, and stopping ends its process", async () => {
  const { server } = start(vault(NOTES));
  await search(server, "fern"); // reads the vault; then notes whose names match are a part
  const parts: SearchAnswer[] = [];
  const answer = await search(server, "orchid", parts);
  assert.deepEqual(answer.results.map(({ id }) => id), ["Orchid.md"]);
  assert.ok(parts.length > 0);
  assert.ok(parts.every(({ complete }) => !complete));
  const { pid } = server;
  assert.ok(isAlive(pid));
  await server.stop();
  assert.ok(!isAlive(pid));
  await assert.rejects(search(server, "orchid"), /switched off/u);
});

test("the vault is searched as it is, also without the folder .obsidian", async () => {
  const { server } = start(vault({ "deep/er/Note.md": "heliotrope" }));
  const { vaults } = await server.request<StatusAnswer>(METHOD_STATUS, {});
  assert.equal(vaults.length, 1);
});

test("a killed server starts again, and the next search is answered", async () => {
  const { server } = start(vault(NOTES));
  await search(server, "fern");
  const before = server.pid;
  assert.ok(before !== undefined);
  const seen: (string | undefined)[] = [];
  server.onChange.add(() => seen.push(server.problem?.kind));
  const ended = new Promise<void>((resolve) => server.onChange.add(resolve));
  process.kill(before, "SIGKILL");
  await ended;
  assert.deepEqual((await search(server, "fern")).results.map(({ id }) => id), ["Fern.md"]);
  assert.notEqual(server.pid, before);
  assert.deepEqual(seen, ["waiting", undefined]);
});

test("a search of a server that was just killed fails as one of a server that is gone, so that it is sent again", async () => {
  const { server } = start(vault(NOTES));
  await search(server, "fern");
  process.kill(server.pid ?? 0, "SIGKILL");
  const outcomes = [];
  for (let n = 0; n < 20; n += 1) {
    outcomes.push(search(server, "fern").then(() => "answered", (error: unknown) => (error as { code: unknown }).code));
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.deepEqual((await Promise.all(outcomes)).filter((each) => each !== "answered" && each !== -32097 && each !== -32800), []);
});

test("a cancelled search is answered as cancelled", async () => {
  const { server } = start(vault(NOTES));
  await assert.rejects(server.request(METHOD_SEARCH, { query: "fern" }, { signal: AbortSignal.abort() }), { code: -32800 });
});

test("a program that is no server is reported with what it printed", async () => {
  const { server } = start(vault(NOTES), program("echo no such module >&2; exit 3"));
  const seen = new Promise<void>((resolve) => server.onChange.add(resolve));
  search(server, "fern").catch(() => undefined);
  await seen;
  assert.equal(server.problem?.kind, "waiting");
  assert.ok(server.log.some((line) => line.includes("no such module")), server.log.join("|"));
});

test("a path that leads nowhere is a problem of the setting", async () => {
  const { server } = start(vault(NOTES), "/nowhere/vaultseek");
  await assert.rejects(search(server, "fern"), /Path of the server/u);
  assert.equal(server.problem?.kind, "path");
});

test("a program whose Python is gone is no problem of the setting", { skip: process.platform === "win32" }, async () => {
  const file = program("");
  writeFileSync(file, "#!/nowhere/python3\n");
  const { server } = start(vault(NOTES), "", { machine: () => ({ ...machine(""), path: [dirname(file)] }) });
  await assert.rejects(search(server, "fern"), /from the PATH\) cannot be started: the program that its first line names/u);
  assert.deepEqual(server.problem, { kind: "broken", path: file, origin: "the PATH", reason: "the program that its first line names does not exist." });
});

test("a server of another version answers, and the version is a problem", async () => {
  const { server } = start(vault(NOTES), undefined, { version: "0.9.0" });
  assert.equal((await search(server, "fern")).results.length, 1);
  assert.equal(server.problem?.kind, "version");
});

test("stopping while the server starts leaves no process", { skip: process.platform === "win32" }, async () => {
  const note = join(temporary("pid"), "pid");
  const { server } = start(vault(NOTES), program(`echo $$ >"${note}.new"; mv "${note}.new" "${note}"; exec sleep 1000`));
  const asked = search(server, "fern").catch((error: unknown) => error);
  while (!existsSync(note)) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const pid = Number(readFileSync(note, "utf8"));
  assert.ok(isAlive(pid));
  await server.stop();
  assert.ok((await asked) instanceof Error);
  while (isAlive(pid)) {
    await new Promise((resolve) => setTimeout(resolve, 10)); // a killed process is gone when its parent was told
  }
});
