// Secrets, paths and links as text: pure functions without an editor.

import { nameOf } from "../../shared/text";

/** `text` with every secret replaced by a dash, both plain and as JSON writes it. */
export function masked(text: string, secrets: readonly string[]): string {
  const forms = secrets.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]);
  return forms.filter((form) => form !== "").reduce((left, form) => left.replaceAll(form, "—"), text);
}

/** A URI's `path` relative to the folder `root`, empty for the folder itself; undefined if it is outside. */
export function pathIn(root: string, path: string): string | undefined {
  const drive = /^\/[a-z]:/iu; // a Windows drive, in upper or lower case
  const [outer, inner] = [root, path].map((each) => `${each.replace(drive, (found) => found.toLowerCase()).replace(/\/$/u, "")}/`) as [string, string];
  return inner.startsWith(outer) ? inner.slice(outer.length, -1) : undefined;
}

/** A link to the note: its name if that is unique, else its path. */
export function wikilink(id: string, isNameUnique: boolean): string {
  const target = isNameUnique ? nameOf(id) : id.replace(/\.md$/iu, "");
  return `[[${target}]]`;
}

/** The folder for new notes in Obsidian's settings (`app.json`); empty for the vault's root. */
export function newNoteFolder(app: unknown, current: string): string {
  if (typeof app !== "object" || app === null) {
    return "";
  }
  const { newFileLocation, newFileFolderPath } = app as Record<string, unknown>;
  if (newFileLocation === "current") {
    return current;
  }
  const isFolder = newFileLocation === "folder" && typeof newFileFolderPath === "string";
  const folder = isFolder ? newFileFolderPath.replace(/^\/+|\/+$/gu, "") : "";
  return folder.split("/").includes("..") ? "" : folder;
}

/** What a page, card or cell is called; a card is called like its first line. */
export function placeName({ fragment, label }: { readonly fragment: string; readonly label?: string }, line: string): string {
  const [, kind = "", number = ""] = /^(page|cell)=(\d{1,6})$/u.exec(fragment) ?? [];
  const name = kind === "page" ? `Page ${label ?? number}` : kind === "cell" ? `Cell ${number}` : line.trim().slice(0, 60);
  return name === "" ? "Card" : name;
}
