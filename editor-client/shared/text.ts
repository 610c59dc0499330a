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

type Marks = readonly (readonly [number, number])[];

const WIDE = /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;
const NO_WIDTH = /[\p{M}\u200b-\u200d\ufe0f]/u;

/** The columns that a text takes: two for wide characters, none for combining marks. */
export function columns(text: string): number {
  return Array.from(text).reduce((sum, char) => sum + (NO_WIDTH.test(char) ? 0 : WIDE.test(char) ? 2 : 1), 0);
}

/** The part of a text with at most `limit` columns that shows as many different matches as possible, and its marks. */
export function around(text: string, marks: Marks, limit: number): { text: string; marks: [number, number][] } {
  const sorted = marks.filter(([start, end]) => start < end && end <= text.length).sort((a, b) => a[0] - b[0]);
  if (columns(text) <= limit) {
    return { text, marks: sorted.map(([start, end]) => [start, end]) };
  }
  const room = Math.max(1, limit - 2); // for an ellipsis at each end
  const [first, last] = best(text, sorted, room);
  let start = 0;
  if (columns(text.slice(0, last)) > limit - 1) {
    const lead = Math.max(0, Math.floor((room - columns(text.slice(first, last))) / 2));
    const before = Array.from(text.slice(0, first));
    start = first;
    for (let char = before.pop(); char !== undefined; char = before.pop()) {
      const isInLead = columns(text.slice(start - char.length, first)) <= lead;
      if (!isInLead && columns(text.slice(start - char.length)) > limit - 1) {
        break;
      }
      start -= char.length;
    }
    if (start > 0) {
      const blank = text.slice(start - 1, first).search(/\s/u);
      start += Math.max(0, blank); // starts at a whole word
    }
  }
  let left = limit - (start > 0 ? 1 : 0);
  let end = text.length;
  if (columns(text.slice(start)) > left) {
    left -= 1;
    end = start;
    for (const char of text.slice(start)) {
      left -= columns(char);
      if (left < 0) {
        break;
      }
      end += char.length;
    }
    const blank = /\s\S*$/u.exec(text.slice(last, end + 1));
    end = blank === null || last > end ? end : last + blank.index; // ends with a whole word
  }
  const shift = (start > 0 ? 1 : 0) - start;
  return {
    text: `${start > 0 ? "…" : ""}${text.slice(start, end)}${end < text.length ? "…" : ""}`,
    marks: sorted
      .map(([a, b]): [number, number] => [Math.max(a, start) + shift, Math.min(b, end) + shift])
      .filter(([a, b]) => a < b),
  };
}

/** Where the marks begin and end that show most different texts within `room` columns, as close together as possible. */
function best(text: string, marks: Marks, room: number): [number, number] {
  let found: [number, number] = [0, 0];
  let most = 0;
  for (const [at, [first]] of marks.entries()) {
    const seen = new Set<string>();
    for (const [start, end] of marks.slice(at)) {
      if (start !== first && columns(text.slice(first, end)) > room) {
        break;
      }
      seen.add(text.slice(start, end).toLowerCase());
      if (seen.size > most || (seen.size === most && end - first < found[1] - found[0])) {
        most = seen.size;
        found = [first, end];
      }
    }
  }
  return found;
}

/** One line of at most `limit` columns that shows as many different matches as possible. */
export function oneLine(text: string, marks: Marks, limit: number): string {
  return around(text.replace(/\s/gu, " "), marks, limit).text.replace(/ +/gu, " ").trim();
}

/** The folder of a note's id, empty for the vault's root. */
export function folderOf(id: string): string {
  return id.includes("/") ? id.slice(0, id.lastIndexOf("/")) : "";
}

/** The file name of a note's id without folder and extension. */
export function nameOf(id: string): string {
  return id.slice(id.lastIndexOf("/") + 1).replace(/\.(md|markdown)$/iu, "");
}

/** Whether an id is that of a Markdown note. */
export function isNote(id: string): boolean {
  return /\.(md|markdown)$/iu.test(id);
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

/** The first part of a message, for places with little room. */
export function inShort(message: string, limit = 70): string {
  const first = /^.*?(?=[.;:](?:\s|$)|$)/su.exec(message)?.[0] ?? message;
  return first.length <= limit ? first : `${first.slice(0, limit).replace(/\s\S*$/u, "")}…`;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
