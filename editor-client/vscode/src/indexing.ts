// Index commands, with progress that can be cancelled.

import * as vscode from "vscode";
import { ProgressType } from "vscode-languageclient/node";
import type { Server } from "./server/client";
import { vaultToName } from "./vaults";
import type { CommandAnswer } from "./wire";

interface WorkDone {
  readonly kind: "begin" | "report" | "end";
  readonly message?: string;
  readonly percentage?: number;
}

let nTokens = 0;

/** Runs one of the server's commands; returns when it is done, failed or cancelled. */
export async function runIndexCommand(server: Server, command: string, title: string): Promise<void> {
  const client = await server.ready();
  const where = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
  await vscode.window.withProgress(where, async (progress, token) => {
    nTokens += 1;
    const workDoneToken = `index-${nTokens}`;
    let done = 0;
    const listening = client.onProgress(new ProgressType<WorkDone>(), workDoneToken, ({ message, percentage }) => {
      progress.report({
        ...(message === undefined ? {} : { message }),
        ...(percentage === undefined ? {} : { increment: percentage - done }),
      });
      done = percentage ?? done;
    });
    try {
      const params = { command, arguments: [vaultToName()], workDoneToken };
      const answer = await client.sendRequest<CommandAnswer>("workspace/executeCommand", params, token);
      vscode.window.setStatusBarMessage(`$(check) ${answer.message}`, 8_000);
    } catch (error) {
      if (!token.isCancellationRequested) {
        throw error;
      }
      vscode.window.setStatusBarMessage("$(circle-slash) Stopped; what was done is kept.", 8_000);
    } finally {
      listening.dispose();
    }
  });
}
