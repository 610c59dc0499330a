// Failures of commands, shown once and in one sentence.

import { Notice } from "obsidian";
import { NoServer } from "../../shared/keeper";
import { messageOf } from "../../shared/text";

/** Shows a failure as a notice. */
export function guarded(work: Promise<unknown>): void {
  work.catch((error: unknown) => {
    new Notice(error instanceof NoServer ? messageOf(error) : `Vaultseek: ${messageOf(error)}`);
  });
}
