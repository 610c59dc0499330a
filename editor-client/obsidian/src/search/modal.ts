// The search as a modal: it closes when something was chosen.

import { Platform, type HoverPopover } from "obsidian";
import { KINDS, typesOf, type Kinds } from "../../../shared/kinds";
import type { SearchOptions } from "../../../shared/wire";
import { createNote, insertLink, openResult } from "../actions";
import { guarded } from "../guarded";
import type VaultseekPlugin from "../main";
import { OwnModal } from "../own_modal";
import { lastEditor, type Place } from "../vault";
import { SearchPane } from "./pane";
import { addToggles } from "./toggles";

const PAUSE_MS = 60;

/** How a modal differs from the usual one. */
export interface Manner {
  readonly query?: string;
  readonly options?: SearchOptions;
  /** Whether Enter inserts a link instead of opening the note. */
  readonly isForLinks?: boolean;
}

export class SearchModal extends OwnModal {
  hoverPopover: HoverPopover | null = null;
  private readonly place: Place | undefined; // before the modal took the focus
  private pane: SearchPane | undefined;
  private kinds: Kinds = "everything";

  constructor(
    private readonly plugin: VaultseekPlugin,
    private readonly manner: Manner = {},
  ) {
    super(plugin.app);
    this.place = lastEditor(plugin.app);
  }

  override onOpen(): void {
    super.onOpen();
    const { app, manner, plugin } = this;
    this.modalEl.addClass("vaultseek-modal");
    const link = (id: string): void => {
      this.close();
      guarded(insertLink(app, id, this.place));
    };
    const pane = new SearchPane(this.contentEl, app, plugin.server, {
      pauseMs: PAUSE_MS,
      nExcerpts: 1,
      options: () => ({ ...manner.options, ...typesOf(this.kinds) }),
      open: (result, where, snippet) => {
        if (manner.isForLinks === true) {
          link(result.id);
        } else {
          this.close();
          guarded(openResult(app, result, where, snippet));
        }
      },
      link: ({ id }) => {
        link(id);
      },
      create: (query, where) => {
        this.close();
        guarded(createNote(app, query, where));
      },
      onAnswer: (answer, query) => {
        plugin.answered(answer, query);
      },
    }, this);
    this.pane = pane;
    addToggles(pane.bar, "Show", KINDS, this.kinds, (kinds) => {
      this.kinds = kinds;
      pane.ask();
      pane.input.focus();
    });
    this.showKeys();
    if (manner.query !== undefined) {
      pane.setQuery(manner.query);
    }
    pane.input.focus();
    pane.input.select();
  }

  override onClose(): void {
    this.pane?.dispose();
    super.onClose();
  }

  private showKeys(): void {
    const mod = Platform.isMacOS ? "⌘" : "ctrl";
    const keys: [string, string][] = [
      ["↵", this.manner.isForLinks === true ? "insert link" : "open"],
      [`${mod} ↵`, "new tab"],
      ["alt ↵", "insert link"],
      ["shift ↵", "create"],
      [`${mod} .`, "why"],
    ];
    const line = this.contentEl.createDiv({ cls: "vaultseek-keys" });
    for (const [key, meaning] of this.manner.isForLinks === true ? keys.filter((_each, at) => at !== 1 && at !== 2) : keys) {
      const one = line.createSpan();
      one.createEl("kbd", { text: key });
      one.appendText(` ${meaning}`);
    }
  }
}
