// Where a result matches.

import type { WireRange, WireResult } from "./wire";

/** The beginning of a line. */
export function startOf(line: number): WireRange {
  return { start: { line, character: 0 }, end: { line, character: 0 } };
}

/** The first match of an excerpt, else the excerpt, else the result's first heading; undefined if it has none of them. */
export function matchOf({ snippets, sections: [first] }: Pick<WireResult, "snippets" | "sections">, number = 0): WireRange | undefined {
  const shown = snippets[number];
  return shown?.highlights[0] ?? shown?.range ?? (first === undefined ? undefined : startOf(first.line));
}
