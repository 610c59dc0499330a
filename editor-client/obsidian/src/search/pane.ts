// The search that the modal and the side bar show: an input, a count, notices, and results as they arrive.

import { Keymap, type App, type HoverParent, type PaneType } from "obsidian";
import { Latest } from "../../../shared/latest";
import { NoServer } from "../../../shared/keeper";
import { countInWords } from "../../../shared/rows";
import { messageOf } from "../../../shared/text";
import { fitsTyped } from "../../../shared/trail";
import { METHOD_SEARCH, type SearchAnswer, type SearchOptions, type WireResult } from "../../../shared/wire";
import { linkTextOf } from "../actions";
import { showCard } from "../card";
import type { Server } from "../server/client";
import { ResultList } from "./results";

/** What a pane does, and how it looks. */
export interface Purpose {
  readonly pauseMs: number;
  readonly nExcerpts: number;
  /** What of the vault is searched, and how. */
  readonly options: () => SearchOptions;
  readonly open: (result: WireResult, pane: PaneType | boolean, snippet?: number) => void;
  readonly link: (result: WireResult) => void;
  readonly create: (query: string, pane: PaneType | boolean) => void;
  /** Called with each whole answer. */
  readonly onAnswer: (answer: SearchAnswer, query: string) => void;
}

export const HOVER_SOURCE = "vaultseek";

export class SearchPane {
  readonly input: HTMLInputElement;
  /** For what the owner shows between the input and the results. */
  readonly bar: HTMLElement;
  private readonly count: HTMLElement;
  private readonly card: HTMLElement;
  private readonly notices: HTMLElement;
  private readonly list: ResultList;
  private readonly latest: Latest<string, SearchAnswer>;
  private readonly onChange = (): void => {
    this.showProblem();
  };

  constructor(
    parent: HTMLElement,
    private readonly app: App,
    private readonly server: Server,
    private readonly purpose: Purpose,
    private readonly hoverParent: HoverParent,
  ) {
    this.input = parent.createEl("input", {
      cls: "vaultseek-query",
      attr: { type: "text", placeholder: "Search your notes", "aria-label": "Search your notes", spellcheck: "false", enterkeyhint: "go" },
    });
    this.bar = parent.createDiv({ cls: "vaultseek-bar" });
    this.count = parent.createDiv({ cls: "vaultseek-count", attr: { role: "status", "aria-live": "polite" } });
    this.card = parent.createDiv();
    this.notices = parent.createEl("ul", { cls: "vaultseek-notices" });
    this.list = new ResultList(parent, this.input, purpose.nExcerpts, {
      go: (result, event, snippet) => {
        purpose.open(result, Keymap.isModEvent(event), snippet);
      },
      hover: (result, event, targetEl) => {
        const linktext = linkTextOf(result);
        app.workspace.trigger("hover-link", { event, source: HOVER_SOURCE, hoverParent: this.hoverParent, targetEl, linktext, sourcePath: "" });
      },
    });
    this.latest = new Latest(
      (query, signal, onPart) => server.request<SearchAnswer>(METHOD_SEARCH, { query, options: purpose.options() }, { signal, onPart }),
      (answer, query, isWhole) => {
        this.show(answer, query, isWhole);
      },
      (error) => {
        this.fail(error);
      },
      purpose.pauseMs,
    );
    this.input.addEventListener("input", () => {
      this.ask();
    });
    this.input.addEventListener("keydown", (event) => {
      this.onKey(event);
    });
    server.onChange.add(this.onChange);
    this.showProblem();
  }

  /** Searches for what is in the input. */
  ask(): void {
    const query = this.input.value;
    if (query.trim() === "") {
      this.latest.cancel();
      this.list.clear();
      this.list.setBusy(false);
      this.count.setText("");
      this.notices.empty();
    } else {
      this.list.setBusy(true);
      this.latest.request(query);
    }
  }

  setQuery(query: string): void {
    this.input.value = query;
    this.ask();
  }

  dispose(): void {
    this.latest.cancel();
    this.list.dispose();
    this.server.onChange.delete(this.onChange);
  }

  private show(answer: SearchAnswer, query: string, isWhole: boolean): void {
    const canCreate = isWhole && !answer.results.some(fitsTyped);
    const create = canCreate ? ` Shift+Enter creates “${query.trim()}”.` : "";
    this.count.setText(`${countInWords(answer, isWhole)}${create}`);
    this.notices.empty();
    for (const { message } of answer.notices) {
      this.notices.createEl("li", { text: message });
    }
    this.list.show(answer, query);
    this.list.setBusy(!isWhole);
    if (isWhole) {
      this.purpose.onAnswer(answer, query);
    }
  }

  private fail(error: unknown): void {
    this.list.setBusy(false);
    this.count.setText(error instanceof NoServer && this.server.problem !== undefined ? "" : messageOf(error));
  }

  private showProblem(): void {
    const { problem } = this.server;
    showCard(this.card, problem, () => {
      this.input.focus();
      this.server.restart().then(() => {
        this.ask();
      }, (error: unknown) => {
        this.fail(error);
      });
    });
    if (problem === undefined && this.count.textContent === "" && this.input.value.trim() !== "") {
      this.ask();
    }
  }

  private onKey(event: KeyboardEvent): void {
    if (event.isComposing) {
      return; // Enter ends the input of Chinese or Japanese
    }
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 5, PageUp: -5 }[event.key];
    if (step !== undefined && !event.altKey) {
      event.preventDefault();
      this.list.move(step);
    } else if (event.key === "Enter") {
      event.preventDefault();
      this.enter(event);
    } else if (event.key === "." && Keymap.isModifier(event, "Mod")) {
      event.preventDefault();
      this.list.explain();
    }
  }

  private enter(event: KeyboardEvent): void {
    const isMod = Keymap.isModifier(event, "Mod");
    const result = this.list.current;
    if (event.shiftKey && !event.altKey) {
      this.purpose.create(this.input.value, isMod);
    } else if (this.list.isOnFold) {
      this.list.toggle();
    } else if (result !== undefined && event.altKey && !isMod) {
      this.purpose.link(result);
    } else if (result !== undefined) {
      this.purpose.open(result, Keymap.isModEvent(event));
    }
  }
}
