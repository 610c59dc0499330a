// Whether a search finds all files or only notes.

import type { SearchOptions } from "./wire";

export type Kinds = "everything" | "notes";

export const KINDS: readonly { readonly value: Kinds; readonly text: string; readonly title: string }[] = [
  { value: "everything", text: "All files", title: "Notes and all other files" },
  { value: "notes", text: "Notes", title: "Markdown notes only" },
];

/** The option of a search for these kinds of files. */
export function typesOf(kinds: Kinds | undefined): Pick<SearchOptions, "types"> {
  return kinds === "notes" ? { types: ["md"] } : {};
}
