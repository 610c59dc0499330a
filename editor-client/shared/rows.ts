// The rows of a list of results, and which of them is active. Weak results stand below a line that unfolds them.

import type { SearchAnswer, WireResult } from "./wire";

/** The line above the weak results. */
export interface Fold {
  readonly nWeak: number;
  readonly isOpen: boolean;
}

export type Row = WireResult | Fold;

export function isFold(row: Row): row is Fold {
  return "nWeak" in row;
}

export function isWeak({ strengthLevel }: WireResult): boolean {
  return strengthLevel === "weak";
}

/** Whether there are results and all of them are weak; then they are not folded. */
export function areAllWeak(results: readonly WireResult[]): boolean {
  return results.length > 0 && results.every(isWeak);
}

export function nWeakInWords(n: number): string {
  return `${n} weak ${n === 1 ? "result" : "results"}`;
}

/** How many notes an answer has, as a sentence, which also says if they are all weak. */
export function countInWords({ total, results }: SearchAnswer, isWhole: boolean): string {
  if (!isWhole) {
    return `${total} ${total === 1 ? "note" : "notes"} so far`;
  }
  if (total === 0) {
    return "No notes found.";
  }
  return `${total} ${total === 1 ? "note" : "notes"}.${areAllWeak(results) ? " Nothing answers this well." : ""}`;
}

/** The results in the server's order, the weak ones last. */
export function weakLast(results: readonly WireResult[]): WireResult[] {
  return [...results.filter((result) => !isWeak(result)), ...results.filter(isWeak)];
}

export class Rows {
  /** The position of the active row. */
  active = 0;
  private rows: readonly Row[] = [];
  private results: readonly WireResult[] = [];
  private query = "";
  private isOpen = false;

  get all(): readonly Row[] {
    return this.rows;
  }

  /** The active result; undefined on the line above the weak ones. */
  get current(): WireResult | undefined {
    const row = this.rows[this.active];
    return row === undefined || isFold(row) ? undefined : row;
  }

  get isOnFold(): boolean {
    const row = this.rows[this.active];
    return row !== undefined && isFold(row);
  }

  /** Shows an answer. A row that the user moved to stays active through the parts of one answer; else the best one is. */
  show(results: readonly WireResult[], query: string): void {
    const isSame = query === this.query;
    const kept = isSame && this.active > 0 ? this.rows[this.active] : undefined;
    const id = kept === undefined || isFold(kept) ? undefined : kept.id;
    this.query = query;
    this.results = results;
    this.isOpen = (isSame && this.isOpen) || results.some((result) => result.id === id && isWeak(result));
    this.arrange();
    const at = this.rows.findIndex((row) => (isFold(row) ? kept !== undefined && isFold(kept) : row.id === id));
    this.active = Math.max(0, at);
  }

  clear(): void {
    this.show([], "");
  }

  /** Folds or unfolds the weak results. The line above them becomes active. */
  toggle(): void {
    this.isOpen = !this.isOpen;
    this.arrange();
    this.active = Math.max(0, this.rows.findIndex(isFold));
  }

  move(step: number): void {
    this.active = Math.min(Math.max(0, this.rows.length - 1), Math.max(0, this.active + step));
  }

  private arrange(): void {
    const weak = this.results.filter(isWeak);
    if (weak.length === 0 || weak.length === this.results.length) {
      this.rows = this.results;
      return;
    }
    const fold: Fold = { nWeak: weak.length, isOpen: this.isOpen };
    this.rows = [...this.results.filter((result) => !isWeak(result)), fold, ...(this.isOpen ? weak : [])];
  }
}
