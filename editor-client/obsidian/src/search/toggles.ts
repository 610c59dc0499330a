// Buttons of which one is pressed.

export interface Choice<V extends string> {
  readonly value: V;
  readonly text: string;
  readonly title: string;
}

/** Adds a group of buttons; `choose` is called with the value of a pressed one. */
export function addToggles<V extends string>(bar: HTMLElement, label: string, choices: readonly Choice<V>[], first: V, choose: (value: V) => void): void {
  const group = bar.createDiv({ cls: "vaultseek-toggles", attr: { role: "radiogroup", "aria-label": label } });
  const buttons = choices.map(({ value, text, title }) => {
    const button = group.createEl("button", { text, attr: { type: "button", role: "radio", "aria-label": title } });
    button.addEventListener("click", () => {
      mark(value);
      choose(value);
    });
    return button;
  });
  const mark = (chosen: V): void => {
    for (const [at, button] of buttons.entries()) {
      const isOn = choices[at]?.value === chosen;
      button.setAttribute("aria-checked", String(isOn));
      button.tabIndex = isOn ? 0 : -1;
    }
  };
  group.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      const at = buttons.findIndex((button) => button === event.target);
      const next = buttons[(at + step + buttons.length) % buttons.length];
      next?.focus();
      next?.click();
    }
  });
  mark(first);
}
