// The search in the side bar: all excerpts, and options of the search.

import { ItemView, type HoverPopover, type WorkspaceLeaf } from "obsidian";
import { KINDS, typesOf, type Kinds } from "../../../shared/kinds";
import { folderOf } from "../../../shared/text";
import type { SearchOptions } from "../../../shared/wire";
import { createNote, insertLink, openResult } from "../actions";
import { guarded } from "../guarded";
import type VaultseekPlugin from "../main";
import { SearchPane } from "../search/pane";

export const SEARCH_VIEW = "vaultseek-search";
const PAUSE_MS = 120;
const N_HISTORY = 30;

type Mode = "hybrid" | "keyword" | "vector";
type Scope = "vault" | "folder";

interface Choice {
  readonly value: Mode | Scope | Kinds;
  readonly text: string;
  readonly title: string;
}

const MODES: Choice[] = [
  { value: "hybrid", text: "Both", title: "Words and meaning" },
  { value: "keyword", text: "Words", title: "Words only" },
  { value: "vector", text: "Meaning", title: "Meaning only" },
];
const SCOPES: Choice[] = [
  { value: "vault", text: "Vault", title: "The whole vault" },
  { value: "folder", text: "Folder", title: "The folder of the open note" },
];

export class SearchView extends ItemView {
  override navigation = false;
  hoverPopover: HoverPopover | null = null;
  private pane: SearchPane | undefined;
  private mode: Mode;
  private reach: Scope = "vault";
  private kinds: Kinds = "everything";
  private readonly history: string[] = [];
  private past = -1;

  constructor(
    leaf: WorkspaceLeaf,
    private readonly plugin: VaultseekPlugin,
  ) {
    super(leaf);
    this.mode = MODES.map(({ value }) => value).find((value): value is Mode => value === plugin.store.forServer().mode) ?? "hybrid";
  }

  getViewType(): string {
    return SEARCH_VIEW;
  }

  getDisplayText(): string {
    return "Vaultseek";
  }

  override getIcon(): string {
    return "text-search";
  }

  protected override onOpen(): Promise<void> {
    const { app, plugin } = this;
    this.contentEl.addClass("vaultseek-view");
    const pane = new SearchPane(this.contentEl, app, plugin.server, {
      pauseMs: PAUSE_MS,
      nExcerpts: 3,
      options: () => this.options(),
      open: (result, where, snippet) => {
        this.remember(pane.input.value);
        guarded(openResult(app, result, where, snippet));
      },
      link: ({ id }) => {
        guarded(insertLink(app, id));
      },
      create: (query, where) => {
        guarded(createNote(app, query, where));
      },
      onAnswer: (answer, query) => {
        plugin.answered(answer, query);
      },
    }, this);
    this.pane = pane;
    this.addToggles(pane.bar, "Find by", MODES, () => this.mode);
    this.addToggles(pane.bar, "Search in", SCOPES, () => this.reach);
    this.addToggles(pane.bar, "Show", KINDS, () => this.kinds);
    pane.input.addEventListener("keydown", (event) => {
      if (event.altKey && (event.key === "ArrowUp" || event.key === "ArrowDown")) {
        event.preventDefault();
        this.recall(event.key === "ArrowUp" ? 1 : -1);
      }
    });
    return Promise.resolve();
  }

  protected override onClose(): Promise<void> {
    this.pane?.dispose();
    this.contentEl.empty();
    return Promise.resolve();
  }

  /** Puts the cursor into the input. */
  focus(): void {
    this.pane?.input.focus();
  }

  private options(): SearchOptions {
    const file = this.app.workspace.getActiveFile();
    const folder = this.reach === "folder" && file !== null ? folderOf(file.path) : "";
    return { mode: this.mode, ...typesOf(this.kinds), ...(folder === "" ? {} : { folder }) };
  }

  private addToggles(bar: HTMLElement, label: string, choices: readonly Choice[], chosen: () => string): void {
    const group = bar.createDiv({ cls: "vaultseek-toggles", attr: { role: "radiogroup", "aria-label": label } });
    const buttons = choices.map(({ value, text, title }) => {
      const button = group.createEl("button", { text, attr: { type: "button", role: "radio", "aria-label": title } });
      button.addEventListener("click", () => {
        if (value === "vault" || value === "folder") {
          this.reach = value;
        } else if (value === "everything" || value === "notes") {
          this.kinds = value;
        } else {
          this.mode = value;
        }
        mark();
        this.pane?.ask();
      });
      return button;
    });
    const mark = (): void => {
      for (const [at, button] of buttons.entries()) {
        const isOn = choices[at]?.value === chosen();
        button.setAttribute("aria-checked", String(isOn));
        button.tabIndex = isOn ? 0 : -1;
      }
    };
    group.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (step !== undefined) {
        event.preventDefault();
        const at = buttons.findIndex((button) => button === event.target);
        const next = buttons[(at + step + buttons.length) % buttons.length];
        next?.focus();
        next?.click();
      }
    });
    mark();
  }

  private remember(query: string): void {
    if (query.trim() !== "") {
      const others = this.history.filter((old) => old !== query);
      this.history.splice(0, Infinity, query, ...others.slice(0, N_HISTORY - 1));
    }
    this.past = -1;
  }

  private recall(step: number): void {
    const next = Math.max(-1, this.past + step);
    const query = next < 0 ? "" : this.history[next];
    if (query !== undefined) {
      this.past = next;
      this.pane?.setQuery(query);
    }
  }
}
