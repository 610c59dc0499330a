// A window for tests without a browser; import it before anything that uses the app.

import { JSDOM } from "jsdom";
import { extend } from "../stand-in/dom";

const { window } = new JSDOM("<body></body>", { pretendToBeVisual: true });
Object.defineProperty(window.HTMLElement.prototype, "scrollIntoView", { value: () => undefined });
class ResizeObserver {
  observe(): void {
    // Nothing has a size here.
  }
  disconnect(): void {
    // Nothing was observed.
  }
}
Object.assign(window, { ResizeObserver, setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout });
const page = window as unknown as Window & typeof globalThis;
extend(page);
for (const name of ["window", "document", "createDiv", "createFragment", "activeDocument", "HTMLElement", "HTMLInputElement", "ResizeObserver", "KeyboardEvent", "MouseEvent", "Event"]) {
  Object.defineProperty(globalThis, name, { value: (page as unknown as Record<string, unknown>)[name], configurable: true });
}
Object.defineProperty(globalThis, "navigator", { value: { clipboard: { writeText: () => Promise.resolve() } }, configurable: true });

/** The body of the page. */
export const body = document.body;
