// Whether an editor of another extension shows a file.

import type * as vscode from "vscode";

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
