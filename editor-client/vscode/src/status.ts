// The status bar: how many notes have no vectors yet, and the state of the server.

import * as vscode from "vscode";
import { State } from "vscode-languageclient/node";
import { details, progress } from "../../shared/state";
import { inShort } from "../../shared/text";
import { METHOD_STATUS, type SearchAnswer, type StatusAnswer } from "../../shared/wire";
import type { Server } from "./server/client";

const EVERY_MS = 2_000;

/** A running index command in the status bar. */
export interface Work {
  report(message: string | undefined): void;
  dispose(): void;
}

export class Status implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem("vaultseek.status", vscode.StatusBarAlignment.Left, 0);
  private readonly shownCodes = new Set<string>();
  private readonly listening: vscode.Disposable;
  private timer: NodeJS.Timeout | undefined;
  private stopWork: (() => void) | undefined;
  private notices: readonly string[] = []; // of the last answer

  constructor(private readonly server: Server) {
    this.item.name = "Vaultseek";
    this.set("$(search) Vaultseek", "Vaultseek: no search yet");
    this.item.show();
    this.listening = server.onDidChangeState((state) => {
      if (state === State.Running) {
        void this.refresh();
      } else {
        this.shownCodes.clear();
        clearTimeout(this.timer);
        this.set(state === State.Starting ? "$(sync~spin) Vaultseek" : "$(debug-disconnect) Vaultseek", "Vaultseek's server is not running");
      }
    });
  }

  /** Shows each kind of notice once for each start of the server, in the status bar. */
  onAnswer(answer: SearchAnswer): void {
    const fresh = answer.notices.filter(({ code }) => !this.shownCodes.has(code));
    for (const { code } of fresh) {
      this.shownCodes.add(code);
    }
    if (fresh.length > 0) {
      vscode.window.setStatusBarMessage(`$(info) ${fresh.map(({ message }) => inShort(message)).join(" · ")}`, 8_000);
    }
    this.notices = answer.notices.map(({ message }) => message);
    void this.refresh();
  }

  /** Shows the progress of an index command instead of anything else until it is disposed; a click calls `stop`. */
  begin(title: string, stop: () => void): Work {
    this.stopWork = stop;
    const report = (message: string | undefined): void => {
      if (this.stopWork === stop) {
        this.show(`$(sync~spin) Vaultseek ${message ?? ""}`.trim(), `${title}. Click to stop.`, "vaultseek.index.stop");
      }
    };
    const dispose = (): void => {
      if (this.stopWork === stop) {
        this.stopWork = undefined;
        void this.refresh();
      }
    };
    report(undefined);
    return { report, dispose };
  }

  /** Stops the running index command or, without one, indexing in the background. */
  async stop(): Promise<void> {
    if (this.stopWork !== undefined) {
      this.stopWork();
      return;
    }
    await this.server.letFill(false);
    vscode.window.setStatusBarMessage("$(circle-slash) Indexing is stopped until you run Update Index.", 8_000);
    await this.refresh();
  }

  async refresh(): Promise<void> {
    clearTimeout(this.timer);
    try {
      const status = await this.server.request<StatusAnswer>(METHOD_STATUS, {});
      const busy = status.vaults.filter((vault) => vault.state === "reading" || vault.semantic?.filling === true);
      const [first] = busy;
      if (first === undefined) {
        this.set("$(search) Vaultseek", this.tooltip(status));
      } else if (first.state === "reading") {
        this.set(`$(sync~spin) ${progress(first)}`, this.tooltip(status));
      } else {
        this.set(`$(sync~spin) ${progress(first)}`, `${this.tooltip(status)}\nClick to stop.`, "vaultseek.index.stop");
      }
      if (busy.length > 0) {
        this.timer = setTimeout(() => void this.refresh(), EVERY_MS);
      }
    } catch {
      this.set("$(debug-disconnect) Vaultseek", "Vaultseek's server does not answer");
    }
  }

  async report(output: vscode.LogOutputChannel): Promise<void> {
    const status = await this.server.request<StatusAnswer>(METHOD_STATUS, {});
    output.info([`Vaultseek ${status.version}`, status.message, ...status.vaults.flatMap(details)].join("\n"));
    output.show(true);
    await this.refresh();
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.listening.dispose();
    this.item.dispose();
  }

  private tooltip(status: StatusAnswer): string {
    const vaults = status.vaults.map((vault) => `${vault.name}: ${vault.notes} notes, ${vault.state}`);
    return [status.message, ...vaults, ...this.notices].join("\n");
  }

  private set(text: string, tip: string, command = "vaultseek.showStatus"): void {
    if (this.stopWork === undefined) {
      this.show(text, tip, command);
    }
  }

  private show(text: string, tip: string, command: string): void {
    this.item.command = command;
    this.item.text = text;
    this.item.tooltip = tip;
    this.item.accessibilityInformation = { label: `${text.replace(/\$\([^)]*\)\s*/gu, "")}. ${tip}` };
  }
}
