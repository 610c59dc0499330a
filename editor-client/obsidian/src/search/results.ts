// A list of results with excerpts, reasons, and the parts of a score. Text from notes is inserted only as text.

import { explanation } from "../../../shared/bars";
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
  private answer: SearchAnswer | undefined;
  private answered = ""; // the query of the answer
  private active = 0;
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
    return this.answer?.results[this.active];
  }

  show(next: SearchAnswer, query: string): void {
    // A result that the user moved to stays active through the parts of one answer; otherwise the best one is active.
    const kept = this.active > 0 && query === this.answered ? this.current?.id : undefined;
    this.answer = next;
    this.answered = query;
    this.active = Math.max(0, next.results.findIndex(({ id }) => id === kept));
    this.measure();
    this.draw();
    if (kept === undefined) {
      this.element.firstElementChild?.scrollIntoView({ block: "nearest" });
    }
  }

  clear(): void {
    this.answer = undefined;
    this.draw();
  }

  setBusy(isBusy: boolean): void {
    this.element.setAttribute("aria-busy", String(isBusy));
  }

  move(step: number): void {
    const n = this.answer?.results.length ?? 0;
    if (n > 0) {
      this.active = Math.min(n - 1, Math.max(0, this.active + step));
      this.mark();
      this.element.children[this.active]?.scrollIntoView({ block: "nearest" });
    }
  }

  /** Opens or closes the explanation of the active result. */
  explain(): void {
    const id = this.current?.id;
    if (id !== undefined) {
      if (!this.open.delete(id)) {
        this.open.add(id);
      }
      this.draw();
      this.element.children[this.active]?.scrollIntoView({ block: "nearest" });
    }
  }

  dispose(): void {
    this.observer.disconnect();
  }

  private draw(): void {
    this.element.replaceChildren(...(this.answer?.results ?? []).map((result, at) => this.row(result, at)));
    this.mark();
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
    const item = createDiv({ cls: "vaultseek-result", attr: { role: "option", id: `${this.name}-${at}` } });
    const head = item.createDiv({ cls: "vaultseek-head" });
    const title = head.createSpan({ cls: "vaultseek-title", text: result.title });
    head.createSpan({ cls: "vaultseek-folder", text: folderOf(result.id) });
    const level = result.strengthLevel === undefined ? "" : `${result.strengthLevel} match. `;
    const why = head.createSpan({ cls: "vaultseek-strength", attr: { "aria-label": `${level}Why this note?` } });
    why.createSpan({ cls: "vaultseek-spoken", text: "strength " });
    why.appendText(strengthOf(result) || "why");
    why.addEventListener("click", (event) => {
      event.stopPropagation();
      this.active = at;
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
    this.active = at;
    this.mark();
    const result = this.current;
    if (result !== undefined) {
      this.pointing.go(result, event, snippet);
    }
  }

  private mark(): void {
    for (const [at, item] of Array.from(this.element.children).entries()) {
      item.classList.toggle("is-active", at === this.active);
      item.setAttribute("aria-selected", String(at === this.active));
    }
    this.input.setAttribute("aria-expanded", String(this.element.children.length > 0));
    if (this.current === undefined) {
      this.input.removeAttribute("aria-activedescendant");
    } else {
      this.input.setAttribute("aria-activedescendant", `${this.name}-${this.active}`);
    }
  }
}
