// The server's process: started so that nothing in the open folder can replace it, and always ended.

import { spawn, type ChildProcess } from "node:child_process";
import { homedir } from "node:os";

/** A program with its arguments, and where it was found, in words. */
export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly origin: string;
}

/** Starts the program; fails if it does not exist. */
export function launch({ program, args }: Command): Promise<ChildProcess> {
  return new Promise((resolve, reject) => {
    // Runs in the home folder: a relative path must not lead to a program in the open folder.
    const child = spawn(program, args, { cwd: homedir(), stdio: "pipe", windowsHide: true });
    child.once("spawn", () => {
      resolve(child);
    });
    child.on("error", reject);
  });
}

/** Returns when the process has ended; kills it after `graceMs`. */
export async function ended(child: ChildProcess, graceMs: number): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) {
    return;
  }
  const timer = setTimeout(() => child.kill("SIGKILL"), graceMs);
  await new Promise<void>((resolve) => {
    child.once("exit", () => {
      resolve();
    });
  });
  clearTimeout(timer);
}
