// The status bar: what the server is doing, and index commands with their progress.

import { Notice, Setting, type App } from "obsidian";
import { details, progress } from "../../shared/state";
import { inShort, messageOf } from "../../shared/text";
import { METHOD_STATUS, type CommandAnswer, type SearchAnswer, type StatusAnswer } from "../../shared/wire";
import { OwnModal } from "./own_modal";
import type { Server } from "./server/client";
import type { Problem } from "./server/problems";

const EVERY_MS = 2_000;
const NOTICE_MS = 8_000;
const IN_SHORT: Record<Problem["kind"], string> = {
  missing: "no server",
  path: "no server",
  broken: "no server",
  crashing: "no server",
  waiting: "restarting",
  version: "update",
};

export class Status {
  private readonly shownCodes = new Set<string>();
  private timer: number | undefined;
  private stopWork: (() => void) | undefined;
  private isDisposed = false;

  constructor(
    private readonly app: App,
    private readonly server: Server,
    private readonly item: HTMLElement,
  ) {
    item.addClass("mod-clickable");
    item.addEventListener("click", () => {
      new StatusModal(app, server).open();
    });
    server.onChange.add(() => {
      this.set(server.problem === undefined ? "Vaultseek" : `Vaultseek: ${IN_SHORT[server.problem.kind]}`);
    });
    this.set("Vaultseek");
  }

  /** Shows each kind of notice once, and follows the work that a search has started. */
  onAnswer(answer: SearchAnswer): void {
    const fresh = answer.notices.filter(({ code }) => !this.shownCodes.has(code));
    for (const { code } of fresh) {
      this.shownCodes.add(code);
    }
    if (fresh.length > 0) {
      this.item.setAttribute("aria-label", fresh.map(({ message }) => inShort(message)).join("\n"));
    }
    void this.refresh();
  }

  /** Runs one of the server's commands, with a notice that shows its progress; it can be stopped. */
  async run(command: string, title: string): Promise<void> {
    this.stopWork?.();
    this.server.letFill(true);
    const abort = new AbortController();
    const stop = (): void => {
      abort.abort();
    };
    this.stopWork = stop;
    const notice = new Notice(`${title} …`, 0);
    try {
      const onProgress = ({ message, percentage }: { message?: string; percentage?: number }): void => {
        const text = [percentage === undefined ? "" : `${percentage} %`, message ?? ""].filter((part) => part !== "").join(", ");
        if (text !== "") {
          notice.setMessage(`${title}: ${text}`);
          this.set(`Vaultseek ${text}`);
        }
      };
      const answer = await this.server.request<CommandAnswer>("workspace/executeCommand", { command, arguments: [] }, { signal: abort.signal, onProgress });
      new Notice(answer.message, NOTICE_MS);
    } catch (error) {
      if (!abort.signal.aborted) {
        throw error;
      }
      new Notice("Stopped. Vectors computed so far are kept.", NOTICE_MS);
    } finally {
      notice.hide();
      if (this.stopWork === stop) {
        this.stopWork = undefined;
      }
      this.set("Vaultseek");
      void this.refresh();
    }
  }

  /** Stops the running index command or, without one, indexing in the background. */
  stop(): void {
    if (this.stopWork !== undefined) {
      this.stopWork();
    } else {
      this.server.letFill(false);
      new Notice("Indexing is stopped until you run the command that updates the index.", NOTICE_MS);
    }
  }

  dispose(): void {
    this.isDisposed = true;
    window.clearTimeout(this.timer);
    this.stopWork?.();
  }

  private async refresh(): Promise<void> {
    window.clearTimeout(this.timer);
    if (!this.server.isRunning || this.isDisposed) {
      return;
    }
    try {
      const { vaults } = await this.server.request<StatusAnswer>(METHOD_STATUS, {});
      const busy = vaults.find(({ state, semantic }) => state === "reading" || semantic?.filling === true);
      if (this.stopWork === undefined) {
        this.set(busy === undefined ? "Vaultseek" : progress(busy));
      }
      if (busy !== undefined) {
        window.clearTimeout(this.timer);
        this.timer = window.setTimeout(() => void this.refresh(), EVERY_MS); // does nothing after dispose
      }
    } catch {
      this.set("Vaultseek"); // the server ended; its problem is shown when it is known
    }
  }

  private set(text: string): void {
    this.item.setText(text);
  }
}

/** The state of the vault and of the server, and the server's log. */
export class StatusModal extends OwnModal {
  constructor(
    app: App,
    private readonly server: Server,
  ) {
    super(app);
  }

  override onOpen(): void {
    super.onOpen();
    this.modalEl.addClass("vaultseek-why");
    this.setTitle("Vaultseek");
    const state = this.contentEl.createEl("pre", { text: "Asking the server …" });
    this.server.request<StatusAnswer>(METHOD_STATUS, {}).then((status) => {
      state.setText([`Version ${status.version}`, status.message, ...status.vaults.flatMap(details)].join("\n"));
    }, (error: unknown) => {
      state.setText(messageOf(error));
    }).finally(() => {
      log.setText(this.server.log.join("\n"));
    });
    this.contentEl.createEl("h6", { text: "Log" });
    const log = this.contentEl.createEl("pre", { text: this.server.log.join("\n") });
  }
}

/** Asks before something is deleted. */
export class ConfirmModal extends OwnModal {
  constructor(
    app: App,
    private readonly question: string,
    private readonly verb: string,
    private readonly then: () => void,
  ) {
    super(app);
  }

  override onOpen(): void {
    super.onOpen();
    this.setTitle(this.question);
    new Setting(this.contentEl)
      .addButton((button) =>
        button.setButtonText("Cancel").onClick(() => {
          this.close();
        }),
      )
      .addButton((button) =>
        button.setButtonText(this.verb).setClass("mod-warning").onClick(() => {
          this.close();
          this.then();
        }),
      );
  }
}
