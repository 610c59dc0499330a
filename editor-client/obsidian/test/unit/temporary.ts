// Folders for tests, deleted when the tests have ended.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const made: string[] = [];
process.on("exit", () => {
  for (const folder of made) {
    rmSync(folder, { recursive: true, force: true });
  }
});

export function temporary(what: string): string {
  const folder = mkdtempSync(join(tmpdir(), `vaultseek-obsidian-${what}-`));
  made.push(folder);
  return folder;
}
