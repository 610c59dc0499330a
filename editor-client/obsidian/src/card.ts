// A card that says what is wrong with the server and what to do.

import { adviceOn, type Problem } from "./server/problems";

/** Shows a card in an element, instead of anything in it. */
export function showCard(parent: HTMLElement, problem: Problem | undefined, retry: () => void): void {
  parent.empty();
  if (problem === undefined) {
    return;
  }
  const { title, sentences, lines } = adviceOn(problem);
  const card = parent.createDiv({ cls: "vaultseek-card", attr: { role: "alert" } });
  card.createDiv({ cls: "vaultseek-card-title", text: title });
  const [first, ...others] = sentences;
  card.createEl("p", { text: first ?? "" });
  if (lines.length > 0) {
    card.createEl("pre", { text: lines.join("\n") });
  }
  for (const sentence of others) {
    card.createEl("p", { text: sentence });
  }
  if (problem.kind !== "waiting") {
    card.createEl("button", { text: "Try again" }).addEventListener("click", retry);
  }
}
