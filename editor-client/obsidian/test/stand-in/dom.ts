// The part of Obsidian's additions to the DOM that the plugin uses.

interface Made {
  readonly cls?: string | string[];
  readonly text?: string;
  readonly attr?: Record<string, string | number | boolean | null>;
}

/** Adds Obsidian's functions to a window. */
export function extend(page: Window & typeof globalThis): void {
  const { document } = page;
  const make = (tag: string, info: Made | string = {}): HTMLElement => {
    const element = document.createElement(tag);
    const { cls = [], text, attr = {} } = typeof info === "string" ? { cls: info } : info;
    element.classList.add(...(typeof cls === "string" ? cls.split(" ").filter(Boolean) : cls));
    if (text !== undefined) {
      element.textContent = text;
    }
    for (const [name, value] of Object.entries(attr)) {
      element.setAttribute(name, String(value));
    }
    return element;
  };
  const own = {
    createEl(this: Node, tag: string, info?: Made | string) {
      return this.appendChild(make(tag, info));
    },
    createDiv(this: Node, info?: Made | string) {
      return this.appendChild(make("div", info));
    },
    createSpan(this: Node, info?: Made | string) {
      return this.appendChild(make("span", info));
    },
    appendText(this: Node, text: string) {
      this.appendChild(document.createTextNode(text));
    },
    empty(this: Element) {
      this.replaceChildren();
    },
    setText(this: Element, text: string) {
      this.textContent = text;
    },
    addClass(this: Element, ...names: string[]) {
      this.classList.add(...names);
    },
    toggleClass(this: Element, name: string, isOn: boolean) {
      this.classList.toggle(name, isOn);
    },
    isShown(this: HTMLElement) {
      return this.isConnected && !this.closest("[hidden]");
    },
  };
  for (const [name, value] of Object.entries(own)) {
    Object.defineProperty(page.Node.prototype, name, { value, configurable: true, writable: true });
  }
  Object.assign(page, {
    createEl: make,
    createDiv: (info?: Made | string) => make("div", info),
    createSpan: (info?: Made | string) => make("span", info),
    createFragment: (fill?: (fragment: DocumentFragment) => void) => {
      const fragment = document.createDocumentFragment();
      fill?.(fragment);
      return fragment;
    },
    activeDocument: document,
    activeWindow: page,
  });
}
