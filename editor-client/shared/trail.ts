// How much each step of a trail added to a score, as numbers for bars and as lines of text.

import type { FieldMatch, WireExplanation, WireResult } from "./wire";

export type Trail = WireExplanation["trail"];

/** One step's share of the score before normalization. The shares add up to that score. */
export interface Share {
  readonly name: string;
  readonly amount: number;
  readonly why: string;
}

/** Shares in the order of the trail. A `found` step has no share if a fusion follows. */
export function shares(trail: Trail): Share[] {
  const end = trail.map((step) => step.kind).lastIndexOf("replaced");
  const found: Share[] = [];
  let score = 0;
  let isRaw = false;
  for (const step of end < 0 ? trail : trail.slice(0, end)) {
    switch (step.kind) {
      case "found":
        found.splice(0, found.length, { name: step.source, amount: step.raw, why: "as measured" });
        score = step.raw;
        isRaw = true;
        break;
      case "fused":
        if (isRaw) {
          found.length = 0;
          score = 0;
        }
        isRaw = false;
        found.push({ name: step.source, amount: step.amount, why: `rank ${step.rank}` });
        score += step.amount;
        break;
      case "scaled": {
        const added = score * (step.factor - 1);
        if (added !== 0) {
          found.push({ name: step.by, amount: added, why: step.why });
        }
        score += added;
        break;
      }
      case "replaced":
        found.splice(0, found.length, { name: step.by, amount: step.value, why: step.why });
        score = step.value;
        isRaw = false;
        break;
    }
  }
  return found;
}

/** The arithmetic of a result's score, one line per step. */
export function arithmetic(result: WireResult): string[] {
  const lines = result.explanation.trail.map((step) => {
    switch (step.kind) {
      case "found":
        return `${step.source} measured ${short(step.raw)}`;
      case "fused":
        return `+ ${short(step.amount)}  ${step.source}, rank ${step.rank}, weight ${short(step.weight)}`;
      case "scaled":
        return `× ${short(step.factor)}  ${step.by}: ${step.why}`;
      case "replaced":
        return `= ${short(step.value)}  ${step.by}: ${step.why}`;
    }
  });
  return [...lines, `score ${short(result.score)}`];
}

/** The arithmetic of a result's strength, one line per fact; empty if the answer has no derivation. */
export function strengthArithmetic({ explanation: { strength } }: WireResult): string[] {
  if (strength === undefined) {
    return [];
  }
  const words = strength.words.map(({ word, weight, match, form, field, quality, isNear }) => {
    const how = match === undefined ? "no match" : [match, form, ...(field === undefined ? [] : ["in", field])].filter(Boolean).join(" ");
    return `${word}, weight ${short(weight)}: ${how}, quality ${short(quality)}${isNear ? ", near the others" : ""}`;
  });
  const meaning = strength.cosine === undefined ? [] : [
    `meaning ${short(strength.byMeaning)}: cosine ${short(strength.cosine)} between ${short(strength.floor)} and ${short(strength.ceiling)}`,
  ];
  const facts = strength.exactName === undefined
    ? [...words, `words ${short(strength.byWords)}: coverage ${short(strength.coverage)}, nearness ${short(strength.nearness)}`, ...meaning]
    : [`the query is the name “${strength.exactName}”`];
  return [...facts, `strength ${short(strength.value)}`];
}

/** A result's strength for a list, with two digits; empty if it has none. */
export function strengthOf(result: WireResult): string {
  return result.strength === undefined ? "" : result.strength.toFixed(2);
}

/** Three significant digits, without trailing zeros. */
export function short(value: number | undefined): string {
  return value === undefined ? "" : String(Number(value.toPrecision(3)));
}

/** Whether a result has the name that was typed, or one of the typed words. */
export function fitsTyped({ explanation }: WireResult): boolean {
  return explanation.exactName !== undefined || explanation.lexicalMatches.some(isTyped);
}

/** Whether a match is of a typed word, and not of a corrected or suggested one. */
function isTyped(match: FieldMatch): boolean {
  return match.suggested !== true && match.kind !== "near";
}
