// A list of results with excerpts, reasons, and the parts of a score. Text from notes is inserted only as text.

import { explanation } from "../../../shared/bars";
import { inPlace } from "../../../shared/place";
import { isFold, nWeakInWords, Rows, type Fold } from "../../../shared/rows";
import { around, folderOf, parts } from "../../../shared/text";
import { strengthOf } from "../../../shared/trail";
import type { SearchAnswer, WireResult } from "../../../shared/wire";

/** What a list does when the user points at something. */
export interface Pointing {
  /** Opens a result, or one of its excerpts. */
  readonly go: (result: WireResult, event: MouseEvent, snippet?: number) => void;
  /** Previews a result. */
  readonly hover: (result: WireResult, event: MouseEvent, target: HTMLElement) => void;
}

let nLists = 0;

export class ResultList {
  readonly element: HTMLElement;
  private readonly name = `vaultseek-results-${(nLists += 1)}`;
  private readonly open = new Set<string>(); // ids of results with an open explanation
  private readonly rows = new Rows();
  private query = ""; // of the answer
  private room = 160; // columns for an excerpt
  private readonly observer: ResizeObserver;

  constructor(
    parent: HTMLElement,
    private readonly input: HTMLInputElement,
    private readonly nExcerpts: number,
    private readonly pointing: Pointing,
  ) {
    this.element = parent.createDiv({ cls: "vaultseek-results", attr: { role: "listbox", id: this.name, "aria-label": "Results" } });
    for (const [key, value] of Object.entries({ role: "combobox", "aria-autocomplete": "list", "aria-controls": this.name })) {
      input.setAttribute(key, value);
    }
    this.observer = new ResizeObserver(() => {
      const before = this.room;
      this.measure();
      if (this.room !== before) {
        this.draw();
      }
    });
    this.observer.observe(this.element);
  }

  /** The result that the user would open. */
  get current(): WireResult | undefined {
    return this.rows.current;
  }

  show({ results }: SearchAnswer, query: string): void {
    const isNew = query !== this.query;
    this.query = query;
    this.rows.show(results, query);
    this.measure();
    this.draw();
    if (isNew) {
      this.element.firstElementChild?.scrollIntoView({ block: "nearest" });
    }
  }

  clear(): void {
    this.query = "";
    this.rows.clear();
    this.draw();
  }

  setBusy(isBusy: boolean): void {
    this.element.setAttribute("aria-busy", String(isBusy));
  }

  move(step: number): void {
    this.rows.move(step);
    this.mark();
    this.reveal();
  }

  /** Whether the line above the weak results is active. */
  get isOnFold(): boolean {
    return this.rows.isOnFold;
  }

  /** Folds or unfolds the weak results. */
  toggle(): void {
    this.rows.toggle();
    this.draw();
    this.reveal();
  }

  /** Opens or closes the explanation of the active result. */
  explain(): void {
    const id = this.current?.id;
    if (id !== undefined) {
      if (!this.open.delete(id)) {
        this.open.add(id);
      }
      this.draw();
      this.reveal();
    }
  }

  dispose(): void {
    this.observer.disconnect();
  }

  private draw(): void {
    inPlace(this.element, () => {
      this.element.replaceChildren(...this.rows.all.map((row, at) => (isFold(row) ? this.fold(row, at) : this.row(row, at))));
    });
    this.mark();
  }

  private reveal(): void {
    this.element.children[this.rows.active]?.scrollIntoView({ block: "nearest" });
  }

  /** The line that folds and unfolds the weak results. */
  private fold({ nWeak, isOpen }: Fold, at: number): HTMLElement {
    const line = createDiv({ cls: "vaultseek-fold", attr: { role: "option", id: `${this.name}-${at}` } });
    line.createSpan({ cls: "vaultseek-arrow", text: isOpen ? "▾" : "▸", attr: { "aria-hidden": "true" } });
    line.appendText(nWeakInWords(nWeak));
    line.createSpan({ cls: "vaultseek-spoken", text: isOpen ? ", shown" : ", hidden" });
    line.addEventListener("click", () => {
      this.rows.active = at;
      this.toggle();
    });
    return line;
  }

  /** Sets the columns that an excerpt has room for: two or three lines, each perhaps without its last word. */
  private measure(): void {
    const ruler = this.element.createSpan({ cls: "vaultseek-spoken", text: "x".repeat(100) });
    const perLine = (100 * Math.max(0, this.element.clientWidth - 24)) / Math.max(1, ruler.scrollWidth);
    ruler.remove();
    const lines = this.nExcerpts > 1 ? 3 : 2;
    this.room = Math.max(20, Math.floor(lines * perLine) - (lines - 1) * Math.min(10, Math.floor(perLine / 3)));
  }

  private row(result: WireResult, at: number): HTMLElement {
    const item = createDiv({ cls: "vaultseek-result", attr: { role: "option", id: `${this.name}-${at}`, "data-note": result.id } });
    const head = item.createDiv({ cls: "vaultseek-head" });
    const title = head.createSpan({ cls: "vaultseek-title", text: result.title });
    head.createSpan({ cls: "vaultseek-folder", text: folderOf(result.id) });
    const level = result.strengthLevel === undefined ? "" : `${result.strengthLevel} match. `;
    const why = head.createSpan({ cls: "vaultseek-strength", attr: { "aria-label": `${level}Why this note?` } });
    why.createSpan({ cls: "vaultseek-spoken", text: "strength " });
    why.appendText(strengthOf(result) || "why");
    why.addEventListener("click", (event) => {
      event.stopPropagation();
      this.rows.active = at;
      this.explain();
    });
    for (const [number, snippet] of result.snippets.slice(0, this.nExcerpts).entries()) {
      const line = item.createDiv({ cls: "vaultseek-snippet" });
      const shown = around(snippet.text, snippet.marks, this.room);
      for (const part of parts(shown.text, shown.marks)) {
        if (part.isMatch) {
          line.createEl("mark", { text: part.text });
        } else {
          line.appendText(part.text);
        }
      }
      line.addEventListener("click", (event) => {
        event.stopPropagation();
        this.go(at, event, number);
      });
    }
    item.createDiv({ cls: "vaultseek-sentence", text: result.sentence });
    if (this.open.has(result.id)) {
      item.append(explanation(result));
    }
    item.addEventListener("click", (event) => {
      this.go(at, event);
    });
    title.addEventListener("mouseover", (event) => {
      this.pointing.hover(result, event, title);
    });
    return item;
  }

  private go(at: number, event: MouseEvent, snippet?: number): void {
    this.rows.active = at;
    this.mark();
    const result = this.current;
    if (result !== undefined) {
      this.pointing.go(result, event, snippet);
    }
  }

  private mark(): void {
    for (const [at, item] of Array.from(this.element.children).entries()) {
      item.classList.toggle("is-active", at === this.rows.active);
      item.setAttribute("aria-selected", String(at === this.rows.active));
    }
    this.input.setAttribute("aria-expanded", String(this.element.children.length > 0));
    if (this.element.children.length === 0) {
      this.input.removeAttribute("aria-activedescendant");
    } else {
      this.input.setAttribute("aria-activedescendant", `${this.name}-${this.rows.active}`);
    }
  }
}
