// Elements of a page, and the parts of a score as bars. Text from notes is inserted only as text, never as HTML.

import { shares, short } from "./trail";
import type { WireResult } from "./wire";

/** A new element with a class, a text and attributes. */
export function make<N extends keyof HTMLElementTagNameMap>(
  name: N,
  className = "",
  text = "",
  attributes: Record<string, string> = {},
): HTMLElementTagNameMap[N] {
  const element = document.createElement(name);
  element.className = className;
  element.textContent = text;
  for (const [key, value] of Object.entries(attributes)) {
    element.setAttribute(key, value);
  }
  return element;
}

/** The parts of a score as a bar of coloured segments, and a legend with the reason for each. */
export function explanation(result: WireResult): HTMLElement {
  const box = make("div", "explanation");
  const added = shares(result.explanation.trail);
  const whole = added.reduce((sum, { amount }) => sum + Math.abs(amount), 0);
  const bars = make("div", "bars", "", { "aria-hidden": "true" });
  const legend = make("ul", "legend");
  for (const [at, share] of added.entries()) {
    const segment = make("span", `segment colour-${at % 6}${share.amount < 0 ? " less" : ""}`);
    segment.style.flexGrow = String(whole === 0 ? 1 : Math.abs(share.amount) / whole);
    segment.title = `${share.name} ${short(share.amount)}`;
    bars.append(segment);
    const entry = make("li");
    entry.append(
      make("span", `key colour-${at % 6}`, "", { "aria-hidden": "true" }),
      make("b", "", share.name),
      ` ${share.amount < 0 ? "−" : "+"}${short(Math.abs(share.amount))} `,
      make("span", "reason", share.why),
    );
    legend.append(entry);
  }
  box.append(bars, legend);
  return box;
}
