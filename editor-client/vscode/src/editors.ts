// Which program shows a file that is no text: an editor of another extension, or a program of the system.

import type * as vscode from "vscode";

// Files of other types could be programs, and the system's program for a program is to run it.
const DOCUMENT =
  /\.(?:pdf|docx?|pptx?|xlsx?|od[tsp]|epub|mobi|rtf|pages|numbers|key|avif|bmp|gif|heic|heif|ico|jpe?g|png|psd|svg|tiff?|webp|aac|aif|aiff|flac|m4a|midi?|mp3|oga|ogg|opus|wav|wma|3gp|avi|m4v|mkv|mov|mp4|mpe?g|ogv|webm|wmv)$/iu;

/** Whether the system may be asked to open a file of this name. */
export function isDocument(name: string): boolean {
  return DOCUMENT.test(name);
}

interface CustomEditor {
  readonly priority?: unknown;
  readonly selector?: readonly { readonly filenamePattern?: unknown }[];
}

/** Whether an editor of an extension opens a file of this name, by the user's setting `workbench.editorAssociations` or else by default. */
export function hasEditor(name: string, extensions: readonly Pick<vscode.Extension<unknown>, "packageJSON">[], associations: unknown): boolean {
  const chosen = Object.entries(associations ?? {}).find(([pattern]) => fits(pattern, name));
  if (chosen !== undefined) {
    return !String(chosen[1]).startsWith("default");
  }
  return extensions.some(({ packageJSON }) => {
    const { contributes } = packageJSON as { contributes?: { customEditors?: readonly CustomEditor[] } };
    return (contributes?.customEditors ?? []).some(
      ({ priority, selector }) => priority !== "option" && (selector ?? []).some(({ filenamePattern }) => fits(filenamePattern, name)),
    );
  });
}

/** Whether a pattern of file names means this name: `*.pdf`, also as `**\/*.PDF`, `*.{pdf,djvu}` or `*.[pP][dD][fF]`. */
function fits(pattern: unknown, name: string): boolean {
  const plain = String(pattern).toLowerCase().replace(/^\*\*\//u, "").replace(/\[(.)\1\]/gu, "$1");
  const [whole, before = "", choices = "", after = ""] = /^([^{}]*)\{([^{}]*)\}([^{}]*)$/u.exec(plain) ?? [];
  const patterns = whole === undefined ? [plain] : choices.split(",").map((choice) => before + choice + after);
  return patterns.some((one) => (one.startsWith("*.") ? name.toLowerCase().endsWith(one.slice(1)) : one === name.toLowerCase()));
}
