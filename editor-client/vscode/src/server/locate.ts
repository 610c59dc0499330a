// Which program is the server. The order is a promise to users; what is asked of the machine comes from outside.

/** A program with its arguments, and in words where it was found. */
export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly origin: string;
}

/** What is asked of the machine. */
export interface Machine {
  /** The setting `vaultseek.server.command`, empty where it is not set. */
  readonly configured: readonly string[];
  /** Whether programs may be fetched by a runner. */
  readonly mayRun: boolean;
  /** The interpreter of the Python extension, where there is one. */
  python(): Promise<string | undefined>;
  /** Whether this interpreter has the package. */
  hasPackage(python: string): Promise<boolean>;
  /** The full path of a program on the PATH. */
  onPath(name: string): Promise<string | undefined>;
}

/** The first of: the setting, Python's environment, the PATH, a runner if allowed. */
export async function locate(machine: Machine): Promise<Command | undefined> {
  const [program, ...args] = machine.configured;
  if (program !== undefined && program !== "") {
    return { program, args: args.length > 0 ? args : ["serve"], origin: "the setting vaultseek.server.command" };
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

/** Milliseconds to wait before the n-th start in a row (from 1) after a crash; undefined: give up. */
export function backOff(n: number): number | undefined {
  return n > 6 ? undefined : Math.min(30_000, 500 * 2 ** (n - 1));
}
