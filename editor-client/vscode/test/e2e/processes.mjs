// Processes identified by a mark in their environment, which child processes inherit.

import { readdirSync, readFileSync } from "node:fs";

/** The processes whose environment contains `VAULTSEEK_E2E=mark`, except this one. */
export function marked(mark) {
  const found = [];
  for (const name of readdirSync("/proc").filter((entry) => /^\d+$/u.test(entry))) {
    try {
      const environment = readFileSync(`/proc/${name}/environ`, "utf8").split("\0");
      const command = readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ").trim();
      if (command !== "" && Number(name) !== process.pid && environment.includes(`VAULTSEEK_E2E=${mark}`)) {
        found.push({ pid: Number(name), command });
      }
    } catch {
      // it has ended, or is another user's
    }
  }
  return found;
}

/** Asks all processes to end, and kills the rest after some seconds, until `list` is empty; returns the killed ones. */
export async function endAll(list) {
  const killed = new Set();
  signal(list(), "SIGTERM");
  for (const end = Date.now() + 15_000; list().length > 0; ) {
    if (Date.now() > end) {
      for (const { command } of list()) {
        killed.add(command);
      }
      signal(list(), "SIGKILL");
    }
    await new Promise((done) => setTimeout(done, 100));
  }
  return [...killed];
}

function signal(processes, name) {
  for (const { pid } of processes) {
    try {
      process.kill(pid, name);
    } catch {
      // it has already ended
    }
  }
}
