// What the login shell starts as `vaultseek`. Startup files may print anything, so the answer is between two markers.

import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";

const PATIENCE_MS = 5_000; // startup files can ask questions, which nobody would answer
const MOST = 1_000_000; // characters of output

/** The line between the markers; undefined if there is none. */
export function between(output: string, marker: string): string | undefined {
  const [, answer] = output.split(marker);
  const line = answer?.trim();
  return line === undefined || line === "" || line.includes("\n") ? undefined : line;
}

/** The path that an interactive login shell has for the program; its process never outlives the call. */
export function lookUp(shell: string, program: string, signal: AbortSignal, patienceMs = PATIENCE_MS): Promise<string | undefined> {
  const marker = `vaultseek-${randomUUID()}`;
  const script = `printf '%s\\n' '${marker}'; command -v ${program}; printf '%s\\n' '${marker}'`;
  return new Promise((resolve) => {
    const child = spawn(shell, ["-i", "-l", "-c", script], {
      stdio: ["ignore", "pipe", "ignore"],
      env: { ...process.env, TERM: "dumb", DISABLE_AUTO_UPDATE: "true" },
      detached: true, // a group of its own, so that programs of its startup files end with it
    });
    let output = "";
    const finish = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
      resolve(between(output, marker));
    };
    const stop = (): void => {
      if (child.pid !== undefined) {
        try {
          process.kill(-child.pid, "SIGKILL");
        } catch {
          child.kill("SIGKILL"); // the group has ended
        }
      }
      finish();
    };
    const timer = setTimeout(stop, patienceMs);
    signal.addEventListener("abort", stop, { once: true });
    child.stdout.setEncoding("utf8");
    child.stdout.on("data", (part: string) => {
      output = output.length < MOST ? output + part : output;
    });
    child.once("error", finish);
    child.once("close", finish);
  });
}
