import assert from "node:assert/strict";
import { test } from "node:test";
import { locate, type Machine } from "../../src/server/locate";

function machine(has: Partial<{ configured: string[]; mayRun: boolean; bundled: string | undefined; python: string; path: string[] }>): Machine {
  return {
    configured: has.configured ?? [],
    mayRun: has.mayRun ?? false,
    bundled: () => Promise.resolve(has.bundled),
    python: () => Promise.resolve(has.python),
    hasPackage: (python) => Promise.resolve(python === "with"),
    onPath: (name) => Promise.resolve(has.path?.includes(name) === true ? `/bin/${name}` : undefined),
  };
}

test("the server is looked up in the documented order", async () => {
  const all = { configured: ["/own", "serve", "-v"], bundled: "/extension/vaultseek", python: "with", path: ["vaultseek", "uvx", "pipx"], mayRun: true };
  const found = async (has: Parameters<typeof machine>[0]) => {
    const command = await locate(machine(has));
    return command === undefined ? undefined : [command.program, ...command.args].join(" ");
  };
  assert.equal(await found(all), "/own serve -v");
  assert.equal(await found({ ...all, configured: [] }), "/extension/vaultseek serve");
  const small = { ...all, configured: [], bundled: undefined };
  assert.equal(await found(small), "with -P -m lsp_server serve");
  assert.equal(await found({ ...small, python: "without" }), "/bin/vaultseek serve");
  assert.equal(await found({ mayRun: true, path: ["uvx", "pipx"] }), "/bin/uvx vaultseek serve");
  assert.equal(await found({ mayRun: true, path: ["pipx"] }), "/bin/pipx run vaultseek serve");
  assert.equal(await found({ mayRun: false, path: ["uvx", "pipx"] }), undefined);
});

test("a program without arguments gets the argument serve", async () => {
  assert.deepEqual((await locate(machine({ configured: ["/own"] })))?.args, ["serve"]);
});
