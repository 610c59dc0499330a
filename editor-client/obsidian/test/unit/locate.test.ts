import assert from "node:assert/strict";
import { posix } from "node:path";
import { test } from "node:test";
import { locate, type Machine } from "../../src/server/locate";

interface Has {
  readonly configured?: string;
  readonly path?: string[];
  readonly folders?: string[];
  readonly shell?: string;
  readonly programs?: string[];
}

function machine(has: Has): Machine {
  return {
    configured: has.configured ?? "",
    names: ["vaultseek"],
    path: has.path ?? [],
    isAbsolute: (path) => posix.isAbsolute(path),
    join: (folder, name) => posix.join(folder, name),
    isProgram: (path) => Promise.resolve(has.programs?.includes(path) === true),
    folders: () => Promise.resolve(has.folders ?? []),
    inShell: () => Promise.resolve(has.shell),
  };
}

async function find(has: Has): Promise<string> {
  const found = await locate(machine(has), new AbortController().signal);
  return found.kind === "found" ? [found.command.program, ...found.command.args].join(" ") : found.kind;
}

test("the server is looked up in the documented order", async () => {
  const programs = ["/own", "/path/vaultseek", "/pipx/vaultseek", "/shell/vaultseek"];
  const all = { configured: "/own", path: ["/path"], folders: ["/none", "/pipx"], shell: "/shell/vaultseek", programs };
  assert.equal(await find(all), "/own serve");
  assert.equal(await find({ ...all, configured: "" }), "/path/vaultseek serve");
  assert.equal(await find({ ...all, configured: "", path: [] }), "/pipx/vaultseek serve");
  assert.equal(await find({ ...all, configured: "", path: [], folders: [] }), "/shell/vaultseek serve");
  assert.equal(await find({ programs }), "missing");
});

test("a path in the settings that leads to no program is never replaced by another program", async () => {
  const rest = { path: ["/path"], programs: ["/path/vaultseek"] };
  assert.equal(await find({ ...rest, configured: "/gone" }), "path");
  assert.equal(await find({ ...rest, configured: "vaultseek" }), "path");
});

test("relative folders of the PATH and relative answers of the shell are ignored", async () => {
  assert.equal(await find({ path: [".", "bin", ""], programs: ["vaultseek", "bin/vaultseek"] }), "missing");
  assert.equal(await find({ shell: "vaultseek", programs: ["vaultseek"] }), "missing");
});
