// The server's process: started where nothing in the open folder can take its place, and ended for certain.

import { spawn, type ChildProcess } from "node:child_process";
import { homedir } from "node:os";
import type { Command } from "./locate";

/** Starts the program; fails where there is none of this name. */
export function launch({ program, args }: Command): Promise<ChildProcess> {
  return new Promise((resolve, reject) => {
    // In the home folder: a relative path must not lead to a program that the open folder brings.
    const child = spawn(program, args, { cwd: homedir(), stdio: "pipe" });
    child.once("spawn", () => {
      resolve(child);
    });
    child.on("error", reject);
  });
}

/** Returns when the process has ended; one that has not after `graceMs` is killed. */
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
