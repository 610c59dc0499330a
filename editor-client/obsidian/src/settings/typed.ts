// What was typed into a field of the settings, as a value.

import type { ServerSetting } from "./server";
import type { Value } from "./store";

/** The value of typed text; undefined if it is not allowed. */
export function valueOf({ kind, least, most, initial }: Pick<ServerSetting, "kind" | "least" | "most" | "initial">, text: string): Value | undefined {
  const typed = text.trim();
  switch (kind) {
    case "list":
      return typed.split("\n").map((line) => line.trim()).filter((line) => line !== "");
    case "number":
    case "integer": {
      if (typed === "") {
        return initial;
      }
      const number = Number(typed);
      const isAllowed = Number.isFinite(number) && (kind === "number" || Number.isInteger(number)) && number >= (least ?? -Infinity) && number <= (most ?? Infinity);
      return isAllowed ? number : undefined;
    }
    default:
      return typed;
  }
}

/** What is allowed, for a message. */
export function allowed({ kind, least, most }: Pick<ServerSetting, "kind" | "least" | "most">): string {
  const what = kind === "integer" ? "A whole number" : "A number";
  return least === undefined || most === undefined ? `${what}.` : `${what} from ${least} to ${most}.`;
}

/** An endpoint of typed fields: empty ones are left out; null if nothing was typed. */
export function endpointOf(fields: Readonly<Record<string, "text" | "number">>, typed: Readonly<Record<string, string>>): Record<string, string | number> | null {
  const filled = Object.entries(typed).filter(([, text]) => text.trim() !== "");
  const values = filled.map(([name, text]): [string, string | number] => {
    const number = Number(text);
    return [name, fields[name] === "number" && Number.isFinite(number) ? number : text.trim()];
  });
  return values.length === 0 ? null : Object.fromEntries(values);
}

/** Parts of a sentence with `code` and **strong** words. */
export function marked(text: string): { readonly tag: "code" | "strong" | "span"; readonly text: string }[] {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*)/u).filter((part) => part !== "").map((part) =>
    part.startsWith("`") ? { tag: "code", text: part.slice(1, -1) } : part.startsWith("**") ? { tag: "strong", text: part.slice(2, -2) } : { tag: "span", text: part },
  );
}
