// The status bar: how many notes still lack their vectors, and what there is to know of the server.

import * as vscode from "vscode";
import { State } from "vscode-languageclient/node";
import type { Server } from "./server/client";
import { METHOD_STATUS, type SearchAnswer, type StatusAnswer, type WireVault } from "./wire";

const EVERY_MS = 2_000;

export class Status implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem("vaultseek.status", vscode.StatusBarAlignment.Left, 0);
  private readonly told = new Set<string>();
  private readonly listening: vscode.Disposable;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly server: Server) {
    this.item.name = "Vaultseek";
    this.item.command = "vaultseek.showStatus";
    this.set("$(search) Vaultseek", "Vaultseek: nothing was asked yet");
    this.item.show();
    this.listening = server.onDidChangeState((state) => {
      if (state === State.Running) {
        void this.refresh();
      } else {
        clearTimeout(this.timer);
        this.set(state === State.Starting ? "$(sync~spin) Vaultseek" : "$(debug-disconnect) Vaultseek", "Vaultseek's server is not running");
      }
    });
  }

  /** Each kind of notice is told once, quietly. */
  onAnswer(answer: SearchAnswer): void {
    const fresh = answer.notices.filter(({ code }) => !this.told.has(code));
    for (const { code } of fresh) {
      this.told.add(code);
    }
    if (fresh.length > 0) {
      vscode.window.setStatusBarMessage(`$(info) ${fresh.map(({ message }) => message).join(" · ")}`, 8_000);
    }
    void this.refresh();
  }

  async refresh(): Promise<void> {
    clearTimeout(this.timer);
    try {
      const status = await this.server.request<StatusAnswer>(METHOD_STATUS, {});
      const busy = status.vaults.filter((vault) => vault.state === "reading" || vault.semantic?.filling === true);
      const [first] = busy;
      this.set(first === undefined ? "$(search) Vaultseek" : `$(sync~spin) ${progress(first)}`, tooltip(status));
      if (busy.length > 0) {
        this.timer = setTimeout(() => void this.refresh(), EVERY_MS);
      }
    } catch {
      this.set("$(debug-disconnect) Vaultseek", "Vaultseek's server does not answer");
    }
  }

  async show(output: vscode.LogOutputChannel): Promise<void> {
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

  private set(text: string, tip: string): void {
    this.item.text = text;
    this.item.tooltip = tip;
    this.item.accessibilityInformation = { label: `${text.replace(/\$\([^)]*\)\s*/gu, "")}. ${tip}` };
  }
}

function progress(vault: WireVault): string {
  const semantic = vault.semantic;
  if (vault.state === "reading" || semantic === undefined) {
    return `Vaultseek reads, ${vault.pending} left`;
  }
  const left = semantic.secondsLeft;
  const minutes = left === undefined ? "" : `, ${left < 90 ? `${Math.ceil(left)} s` : `${Math.ceil(left / 60)} min`}`;
  return `Vaultseek ${semantic.notes - semantic.missing}/${semantic.notes}${minutes}`;
}

function tooltip(status: StatusAnswer): string {
  return [status.message, ...status.vaults.map((vault) => `${vault.name}: ${vault.notes} notes, ${vault.state}`)].join("\n");
}

function details(vault: WireVault): string[] {
  const semantic = vault.semantic;
  return [
    `${vault.name}: ${vault.state}, ${vault.notes} notes, ${vault.openNotes} open${vault.reason === undefined ? "" : `, ${vault.reason}`}`,
    ...(semantic === undefined
      ? []
      : [`  ${semantic.model}: ${semantic.notes - semantic.missing} of ${semantic.notes} notes have vectors, ${semantic.cacheBytes} bytes in ${semantic.folder}`]),
    ...(semantic?.problem === undefined ? [] : [`  ${semantic.problem}`]),
    ...vault.skipped.map(({ note, reason }) => `  passed over: ${note} (${reason})`),
    ...vault.notices.map(({ message }) => `  ${message}`),
  ];
}
