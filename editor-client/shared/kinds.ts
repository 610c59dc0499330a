// Whether a search finds all files, only notes, or only other files.

import type { SearchOptions } from "./wire";

export type Kinds = "everything" | "notes" | "files";

export const KINDS: readonly { readonly value: Kinds; readonly text: string; readonly title: string }[] = [
  { value: "everything", text: "All files", title: "Notes and all other files" },
  { value: "notes", text: "Notes", title: "Markdown notes only" },
  { value: "files", text: "Attachments", title: "All files but Markdown notes" },
];

/** The types of files that are no notes, as the server names them. */
export const FILE_TYPES: readonly string[] = ["canvas", "base", "txt", "org", "rst", "adoc", "html", "ipynb", "csv", "pdf", "docx", "pptx", "xlsx", "odt", "epub", "image", "audio", "video", "document", "archive", "file"];

/** The option of a search for these kinds of files. */
export function typesOf(kinds: Kinds | undefined): Pick<SearchOptions, "types"> {
  return kinds === "notes" ? { types: ["md"] } : kinds === "files" ? { types: FILE_TYPES } : {};
}
