// Index commands, with progress that can be cancelled from its notification, the status bar and the command palette.

import * as vscode from "vscode";
import type { CommandAnswer } from "../../shared/wire";
import type { Server } from "./server/client";
import type { Status } from "./status";
import { vaultToName } from "./vaults";

/** Runs one of the server's commands; returns when it has finished, failed or been cancelled. */
export async function runIndexCommand(server: Server, status: Status, command: string, title: string): Promise<void> {
  await server.letFill(true);
  const where = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
  await vscode.window.withProgress(where, async (progress, token) => {
    const abort = new AbortController();
    const stop = (): void => {
      abort.abort();
    };
    token.onCancellationRequested(stop);
    const work = status.begin(title, stop);
    let done = 0;
    const onProgress = ({ message, percentage }: { message?: string; percentage?: number }): void => {
      progress.report({
        ...(message === undefined ? {} : { message }),
        ...(percentage === undefined ? {} : { increment: percentage - done }),
      });
      done = percentage ?? done;
      work.report(message);
    };
    try {
      const params = { command, arguments: [vaultToName()] };
      const answer = await server.request<CommandAnswer>("workspace/executeCommand", params, { signal: abort.signal, onProgress });
      vscode.window.setStatusBarMessage(`$(check) ${answer.message}`, 8_000);
    } catch (error) {
      if (!abort.signal.aborted) {
        throw error;
      }
      vscode.window.setStatusBarMessage("$(circle-slash) Stopped. Vectors computed so far are kept.", 8_000);
    } finally {
      work.dispose();
    }
  });
}
