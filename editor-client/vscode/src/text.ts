// Texts for lists: pure functions without an editor.

/** A part of an excerpt, and whether it is a match. */
export interface Part {
  readonly text: string;
  readonly isMatch: boolean;
}

/** `text` split at its marks, which are half-open ranges of UTF-16 units; invalid ones are ignored. */
export function parts(text: string, marks: readonly (readonly [number, number])[]): Part[] {
  const found: Part[] = [];
  let at = 0;
  for (const [start, end] of [...marks].sort((a, b) => a[0] - b[0])) {
    if (start < at || end <= start || end > text.length) {
      continue;
    }
    if (start > at) {
      found.push({ text: text.slice(at, start), isMatch: false });
    }
    found.push({ text: text.slice(start, end), isMatch: true });
    at = end;
  }
  if (at < text.length) {
    found.push({ text: text.slice(at), isMatch: false });
  }
  return found;
}

/** One line of at most `limit` characters that shows the first match. */
export function oneLine(text: string, marks: readonly (readonly [number, number])[], limit = 100): string {
  const first = marks[0]?.[0] ?? 0;
  const start = text.length <= limit ? 0 : Math.max(0, Math.min(first - Math.floor(limit / 3), text.length - limit));
  const end = start + limit;
  const before = text.slice(start, first).replace(start > 0 ? /^\S*\s/u : "", ""); // starts at a whole word
  const after = text.slice(first, end).replace(end < text.length ? /\s\S*$/u : "", "");
  return `${start > 0 ? "…" : ""}${(before + after).replace(/\s+/gu, " ").trim()}${end < text.length ? "…" : ""}`;
}

/** `text` with every secret replaced by a dash, both plain and as JSON writes it. */
export function masked(text: string, secrets: readonly string[]): string {
  const forms = secrets.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]);
  return forms.filter((form) => form !== "").reduce((left, form) => left.replaceAll(form, "—"), text);
}

/** The folder of a note's id, empty for the vault's root. */
export function folderOf(id: string): string {
  return id.includes("/") ? id.slice(0, id.lastIndexOf("/")) : "";
}

/** A URI's `path` relative to the folder `root`, empty for the folder itself; undefined if it is outside. */
export function pathIn(root: string, path: string): string | undefined {
  const drive = /^\/[a-z]:/iu; // a Windows drive, in upper or lower case
  const [outer, inner] = [root, path].map((each) => `${each.replace(drive, (found) => found.toLowerCase()).replace(/\/$/u, "")}/`) as [string, string];
  return inner.startsWith(outer) ? inner.slice(outer.length, -1) : undefined;
}

/** The file name of a note's id without folder and extension. */
export function nameOf(id: string): string {
  return id.slice(id.lastIndexOf("/") + 1).replace(/\.(md|markdown)$/iu, "");
}

/** A link to the note: its name if that is unique, else its path. */
export function wikilink(id: string, isNameUnique: boolean): string {
  const target = isNameUnique ? nameOf(id) : id.replace(/\.md$/iu, "");
  return `[[${target}]]`;
}

/** A file name that is valid on every system, made from typed text; undefined if nothing of the text remains. */
export function fileName(typed: string): string | undefined {
  const name = typed
    .replace(/[\\/:*?"<>|#^[\]\u0000-\u001f]/gu, " ")
    .replace(/\s+/gu, " ")
    .slice(0, 120)
    .replace(/^[. ]+|[. ]+$/gu, "");
  return name === "" ? undefined : `${name}.md`;
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

/** The first part of a message, for places with little room. */
export function inShort(message: string, limit = 70): string {
  const first = /^.*?(?=[.;:](?:\s|$)|$)/su.exec(message)?.[0] ?? message;
  return first.length <= limit ? first : `${first.slice(0, limit).replace(/\s\S*$/u, "")}…`;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
