// The answer to "why (not) this note", as text.

import { arithmetic, strengthArithmetic } from "./trail";
import type { ExplainAnswer, WireResult } from "./wire";

/** A note's place in an answer, or the step that removed it, with the derivation of its score. */
export function explained(query: string, answer: ExplainAnswer): string {
  const place = answer.rank === undefined ? `not shown (${answer.step})` : `number ${answer.rank} of ${answer.total}`;
  const lines = [`${answer.note}: ${place}`, `for ${query}`, "", answer.sentence];
  if (answer.found !== undefined) {
    lines.push("", ...strengthArithmetic(answer.found), "", ...arithmetic(answer.found), "", ...words(answer.found));
  }
  if (answer.lastShown !== undefined && answer.lastShown.id !== answer.note) {
    lines.push("", `Last note of the answer: ${answer.lastShown.id}`, ...arithmetic(answer.lastShown));
  }
  lines.push(...answer.notices.flatMap(({ message }) => ["", message]));
  return lines.join("\n") + "\n";
}

function words(result: WireResult): string[] {
  return result.explanation.lexicalMatches.map(
    ({ query, field, count, kind, weight }) => `${query}: ${count} × ${kind} in ${field} (weight ${weight})`,
  );
}
