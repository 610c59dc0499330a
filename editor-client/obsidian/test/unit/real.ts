// A real server over a vault in a temporary folder.

import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Server, type Host } from "../../src/server/client";
import { machine } from "../../src/server/machine";
import { temporary } from "./temporary";

/** The program that `make` names. */
export const PROGRAM = process.env.VAULTSEEK ?? "";

/** A vault with these notes. */
export function vault(notes: Record<string, string>): string {
  const root = temporary("vault");
  for (const [name, text] of Object.entries({ ".obsidian/app.json": "{}", ...notes })) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  return root;
}

/** An executable script; what it starts must end with it. */
export function program(script: string): string {
  const file = join(temporary("program"), "vaultseek");
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return file;
}

/** A server that reads words only, so that no model is loaded. */
export function serverFor(root: string, path = PROGRAM, more: Partial<Host> = {}): { server: Server; told: string[] } {
  const told: string[] = [];
  const index = temporary("index");
  const server = new Server({
    root,
    version: "0.1.0",
    machine: () => machine(path),
    settings: () => ({ enableSemantic: false, indexFolder: index }),
    tell: (message) => told.push(message),
    ...more,
  });
  return { server, told };
}

/** Whether a process is alive. */
export function isAlive(pid: number | undefined): boolean {
  try {
    return pid !== undefined && process.kill(pid, 0);
  } catch {
    return false;
  }
}
