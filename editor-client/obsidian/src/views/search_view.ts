// The search in the side bar: all excerpts, and options of the search.

import { ItemView, type HoverPopover, type WorkspaceLeaf } from "obsidian";
import { KINDS, typesOf, type Kinds } from "../../../shared/kinds";
import { folderOf } from "../../../shared/text";
import type { SearchOptions } from "../../../shared/wire";
import { createNote, insertLink, openResult } from "../actions";
import { guarded } from "../guarded";
import type VaultseekPlugin from "../main";
import { SearchPane } from "../search/pane";
import { addToggles, type Choice } from "../search/toggles";

export const SEARCH_VIEW = "vaultseek-search";
const PAUSE_MS = 120;
const N_HISTORY = 30;

type Mode = "hybrid" | "keyword" | "vector";
type Scope = "vault" | "folder";

const MODES: Choice<Mode>[] = [
  { value: "hybrid", text: "Both", title: "Words and meaning" },
  { value: "keyword", text: "Words", title: "Words only" },
  { value: "vector", text: "Meaning", title: "Meaning only" },
];
const SCOPES: Choice<Scope>[] = [
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
    addToggles(pane.bar, "Find by", MODES, this.mode, (mode) => {
      this.mode = mode;
      pane.ask();
    });
    addToggles(pane.bar, "Search in", SCOPES, this.reach, (reach) => {
      this.reach = reach;
      pane.ask();
    });
    addToggles(pane.bar, "Show", KINDS, this.kinds, (kinds) => {
      this.kinds = kinds;
      pane.ask();
    });
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
