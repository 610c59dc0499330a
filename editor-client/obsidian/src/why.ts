// Why (not) this note: its place in an answer, or the step that removed it.

import type { TFile } from "obsidian";
import { explanation } from "../../shared/bars";
import { explained } from "../../shared/explained";
import { Latest } from "../../shared/latest";
import { messageOf } from "../../shared/text";
import { METHOD_EXPLAIN, type ExplainAnswer } from "../../shared/wire";
import type VaultseekPlugin from "./main";
import { OwnModal } from "./own_modal";

const PAUSE_MS = 300;

export class WhyModal extends OwnModal {
  private readonly latest: Latest<string, ExplainAnswer>;
  private readonly result = createDiv();

  constructor(
    private readonly plugin: VaultseekPlugin,
    private readonly file: TFile,
    private readonly query: string,
  ) {
    super(plugin.app);
    this.latest = new Latest(
      (typed, signal) => plugin.server.request<ExplainAnswer>(METHOD_EXPLAIN, { query: typed, note: file.path }, { signal }),
      (answer, typed) => {
        this.show(typed, answer);
      },
      (error) => {
        this.result.empty();
        this.result.createEl("p", { text: messageOf(error) });
      },
      PAUSE_MS,
    );
  }

  override onOpen(): void {
    super.onOpen();
    this.modalEl.addClass("vaultseek-why");
    this.setTitle(`Why (not) ${this.file.basename}?`);
    const input = this.contentEl.createEl("input", { cls: "vaultseek-query", attr: { type: "text", "aria-label": "Search query", placeholder: "Search query" } });
    this.contentEl.append(this.result);
    input.value = this.query;
    const ask = (): void => {
      if (input.value.trim() === "") {
        this.latest.cancel();
        this.result.empty();
      } else {
        this.latest.request(input.value);
      }
    };
    input.addEventListener("input", ask);
    ask();
    input.focus();
    input.select();
  }

  override onClose(): void {
    this.latest.cancel();
    super.onClose();
  }

  private show(query: string, answer: ExplainAnswer): void {
    this.result.empty();
    if (answer.found !== undefined) {
      this.result.append(explanation(answer.found));
    }
    this.result.createEl("pre", { text: explained(query, answer), attr: { tabindex: "0" } });
  }
}
