// Finds the server's program, in the order that the README documents. What depends on the machine is passed in.

import type { Command } from "../../../shared/process";

/** Information about the machine. */
export interface Machine {
  /** The setting `vaultseek.server.command`, empty if it is not set. */
  readonly configured: readonly string[];
  /** Whether a runner may download the program. */
  readonly mayRun: boolean;
  /** The server that comes with this extension, if it does and runs on this machine. */
  bundled(): Promise<string | undefined>;
  /** The interpreter of the Python extension, if there is one. */
  python(): Promise<string | undefined>;
  /** Whether this interpreter has the package installed. */
  hasPackage(python: string): Promise<boolean>;
  /** The full path of a program on the PATH. */
  onPath(name: string): Promise<string | undefined>;
}

/** The first of: the setting, the extension's own server, the Python environment, the PATH, and a runner if that is allowed. */
export async function locate(machine: Machine): Promise<Command | undefined> {
  const [program, ...args] = machine.configured;
  if (program !== undefined && program !== "") {
    return { program, args: args.length > 0 ? args : ["serve"], origin: "the setting vaultseek.server.command" };
  }
  const bundled = await machine.bundled();
  if (bundled !== undefined) {
    return { program: bundled, args: ["serve"], origin: "this extension" };
  }
  const python = await machine.python();
  if (python !== undefined && (await machine.hasPackage(python))) {
    return { program: python, args: ["-P", "-m", "lsp_server", "serve"], origin: `the Python environment ${python}` };
  }
  const installed = await machine.onPath("vaultseek");
  if (installed !== undefined) {
    return { program: installed, args: ["serve"], origin: "the PATH" };
  }
  if (!machine.mayRun) {
    return undefined;
  }
  for (const [runner, before] of [
    ["uvx", []],
    ["pipx", ["run"]],
  ] as const) {
    const found = await machine.onPath(runner);
    if (found !== undefined) {
      return { program: found, args: [...before, "vaultseek", "serve"], origin: runner };
    }
  }
  return undefined;
}
