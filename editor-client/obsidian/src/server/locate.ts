// Finds the server's program, in the order that the README documents. It never installs or downloads anything.

import type { Command } from "../../../shared/process";

/** Information about the machine. */
export interface Machine {
  /** The path in the plugin's settings, empty if it is not set. */
  readonly configured: string;
  isAbsolute(path: string): boolean;
  join(folder: string, name: string): string;
  /** The file names of the program, as `vaultseek.exe`. */
  readonly names: readonly string[];
  isProgram(path: string): Promise<boolean>;
  /** The folders of the PATH that this process has. */
  readonly path: readonly string[];
  folders(): Promise<readonly string[]>;
  /** What the user's login shell starts as `vaultseek`; undefined if there is no such shell. */
  inShell(signal: AbortSignal): Promise<string | undefined>;
}

/** The program, or what is wrong: a path that leads to no program, or no program in any place that was searched. */
export type Found =
  | { readonly kind: "found"; readonly command: Command }
  | { readonly kind: "path"; readonly path: string; readonly reason: string }
  | { readonly kind: "missing" };

/** The first of: the setting, the PATH, the folders of installers, the login shell. */
export async function locate(machine: Machine, signal: AbortSignal): Promise<Found> {
  const { configured } = machine;
  if (configured !== "") {
    if (!machine.isAbsolute(configured)) {
      return { kind: "path", path: configured, reason: "It must be an absolute path." };
    }
    const isProgram = await machine.isProgram(configured);
    return isProgram ? found(configured, "the settings") : { kind: "path", path: configured, reason: "There is no program at this path." };
  }
  for (const [folders, origin] of [
    [machine.path, "the PATH"],
    [await machine.folders(), "an installer's folder"],
  ] as const) {
    for (const folder of folders.filter((each) => machine.isAbsolute(each))) {
      for (const name of machine.names) {
        const path = machine.join(folder, name);
        if (await machine.isProgram(path)) {
          return found(path, origin);
        }
      }
    }
  }
  signal.throwIfAborted();
  const path = await machine.inShell(signal);
  signal.throwIfAborted();
  const isUsable = path !== undefined && machine.isAbsolute(path) && (await machine.isProgram(path));
  return isUsable ? found(path, "the login shell") : { kind: "missing" };
}

function found(program: string, origin: string): Found {
  return { kind: "found", command: { program, args: ["serve"], origin } };
}
