// Related notes as a list, for the side bar and for the popover of a link.

import { Keymap, setIcon, type App, type HoverParent } from "obsidian";
import { folderOf, messageOf } from "../../../shared/text";
import type { RelatedAnswer, RelatedParams, WireRelated } from "../../../shared/wire";
import { insertLink, linkTextOf, openResult } from "../actions";
import { guarded } from "../guarded";
import { HOVER_SOURCE } from "../search/pane";
import { uriOf } from "../vault";

/** Where linked notes are listed. */
export type Linked = NonNullable<RelatedParams["linked"]>;

export function relatedParams(root: string, path: string, linked: Linked, limit: number): RelatedParams {
  return { textDocument: { uri: uriOf(root, path) }, linked, limit };
}

/** Shows related notes in an element, instead of anything in it. */
export function showRelated(parent: HTMLElement, app: App, answer: RelatedAnswer, hoverParent: HoverParent): void {
  parent.empty();
  if (answer.results.length === 0) {
    parent.createDiv({ cls: "vaultseek-count", text: answer.notices[0]?.message ?? "No related notes." });
  }
  for (const note of answer.results) {
    addRow(parent, app, note, hoverParent);
  }
}

export function showFailure(parent: HTMLElement, error: unknown): void {
  parent.empty();
  parent.createDiv({ cls: "vaultseek-count", text: messageOf(error) });
}

function addRow(parent: HTMLElement, app: App, note: WireRelated, hoverParent: HoverParent): void {
  const label = `${note.title}${note.isLinked ? ", already linked" : ""}. ${note.reason}`;
  const row = parent.createDiv({ cls: "vaultseek-result", attr: { role: "link", tabindex: "0" } });
  row.setAttribute("aria-description", label);
  const head = row.createDiv({ cls: "vaultseek-head" });
  setIcon(head.createSpan({ cls: "vaultseek-icon" }), note.isLinked ? "link" : "file-text");
  const title = head.createSpan({ cls: "vaultseek-title", text: note.title });
  head.createSpan({ cls: "vaultseek-folder", text: folderOf(note.id) });
  const link = head.createEl("button", { cls: "clickable-icon", attr: { type: "button", "aria-label": `Insert link to ${note.title}` } });
  setIcon(link, "between-horizontal-start");
  link.addEventListener("click", (event) => {
    event.stopPropagation();
    guarded(insertLink(app, note.id));
  });
  row.createDiv({ cls: "vaultseek-sentence", text: note.reason });
  row.addEventListener("click", (event) => {
    guarded(openResult(app, note, Keymap.isModEvent(event)));
  });
  row.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.target === row) {
      event.preventDefault();
      guarded(openResult(app, note, Keymap.isModEvent(event)));
    }
  });
  title.addEventListener("mouseover", (event) => {
    app.workspace.trigger("hover-link", { event, source: HOVER_SOURCE, hoverParent, targetEl: title, linktext: linkTextOf(note), sourcePath: "" });
  });
}
