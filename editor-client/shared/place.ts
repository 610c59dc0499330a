// Redrawing a list without moving what the user looks at.

/** Changes the rows of a list so that the first visible one stays where it is; a list at its beginning stays there. */
export function inPlace(list: HTMLElement, change: () => void): void {
  const scroller = scrollerOf(list);
  if (scroller === undefined || scroller.scrollTop === 0) {
    change();
    return;
  }
  const top = scroller === document.scrollingElement ? 0 : scroller.getBoundingClientRect().top;
  const first = [...list.children].find((row) => row.getBoundingClientRect().bottom > top);
  const before = first?.getBoundingClientRect().top ?? 0;
  const note = first?.getAttribute("data-note");
  change();
  const same = note == null ? undefined : [...list.children].find((row) => row.getAttribute("data-note") === note);
  if (same !== undefined) {
    scroller.scrollTop += same.getBoundingClientRect().top - before;
  }
}

function scrollerOf(list: HTMLElement): Element | undefined {
  for (let element: Element | null = list; element !== null; element = element.parentElement) {
    if (element.scrollHeight > element.clientHeight && element.scrollTop > 0) {
      return element;
    }
  }
  return undefined;
}
