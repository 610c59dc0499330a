// The information that `locate` needs, from the operating system.

import { constants } from "node:fs";
import { access, readdir, stat } from "node:fs/promises";
import { homedir, userInfo } from "node:os";
import * as path from "node:path";
import { knownFolders } from "./folders";
import type { Machine } from "./locate";
import { lookUp } from "./shell";

export function machine(configured: string): Machine {
  const isWindows = process.platform === "win32";
  const list = async (folder: string): Promise<string[]> => {
    try {
      return await readdir(folder);
    } catch {
      return [];
    }
  };
  return {
    configured,
    names: isWindows ? ["vaultseek.exe"] : ["vaultseek"], // Windows starts a .cmd only through a shell
    path: (process.env.PATH ?? "").split(path.delimiter),
    isAbsolute: (each) => path.isAbsolute(each),
    join: (folder, name) => path.join(folder, name),
    isProgram,
    folders: () => knownFolders({ platform: process.platform, home: homedir(), env: process.env, list }),
    inShell: (signal) => (isWindows ? Promise.resolve(undefined) : lookUp(shellOf(), "vaultseek", signal)),
  };
}

async function isProgram(file: string): Promise<boolean> {
  try {
    await access(file, process.platform === "win32" ? constants.F_OK : constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}

function shellOf(): string {
  const shell = userInfo().shell ?? process.env.SHELL ?? "";
  return path.isAbsolute(shell) ? shell : "/bin/sh";
}
