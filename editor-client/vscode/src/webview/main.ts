// The page of the search view. Text from notes is inserted only as text, never as HTML.

import { explanation, make } from "../../../shared/bars";
import { KINDS } from "../../../shared/kinds";
import { inPlace } from "../../../shared/place";
import { countInWords, isFold, nWeakInWords, Rows, type Fold } from "../../../shared/rows";
import { around, folderOf, isNote, parts } from "../../../shared/text";
import { strengthOf } from "../../../shared/trail";
import type { SearchAnswer, WireResult } from "../../../shared/wire";
import type { FromPage, Question, ToPage } from "../messages";

interface State {
  question: Question;
  history: string[];
}

interface VsCode {
  postMessage(message: FromPage): void;
  getState(): State | undefined;
  setState(state: State): void;
}

declare function acquireVsCodeApi(): VsCode;

const N_HISTORY = 30;
const code = acquireVsCodeApi();
const state: State = code.getState() ?? { question: { query: "", mode: "hybrid", scope: "vault" }, history: [] };
const open = new Set<string>(); // ids of results with an open explanation
const rows = new Rows();
let past = -1;
let room = 160; // columns for an excerpt

const input = make("input", "query", "", {
  type: "search",
  placeholder: "Search your notes",
  "aria-label": "Search your notes",
  role: "combobox",
  "aria-autocomplete": "list",
  "aria-expanded": "false",
  "aria-controls": "results",
  "aria-keyshortcuts": "Control+. Alt+ArrowUp",
  spellcheck: "false",
});
const modes = toggles("Find by", [
  ["hybrid", "Both", "Words and meaning"],
  ["keyword", "Words", "Words only"],
  ["vector", "Meaning", "Meaning only"],
]);
const scopes = toggles("Search in", [
  ["vault", "Vault", "The whole vault"],
  ["folder", "Folder", "The folder of the open note"],
]);
const kinds = toggles(
  "Show",
  KINDS.map(({ value, text, title }) => [value, text, title]),
);
const count = make("div", "count", "", { role: "status", "aria-live": "polite" });
const notices = make("ul", "notices");
const list = make("div", "results", "", { id: "results", role: "listbox", "aria-label": "Results", tabindex: "-1" });
const bar = make("div", "bar");
bar.append(modes, scopes, kinds);
document.getElementById("main")?.append(input, bar, count, notices, list);

function toggles(label: string, choices: [string, string, string][]): HTMLElement {
  const group = make("div", "toggles", "", { role: "radiogroup", "aria-label": label });
  for (const [value, text, title] of choices) {
    const button = make("button", "", text, { type: "button", role: "radio", title, "data-value": value });
    button.addEventListener("click", () => {
      choose(value);
    });
    group.append(button);
  }
  group.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      const buttons = [...group.querySelectorAll("button")];
      const at = buttons.findIndex((button) => button === document.activeElement);
      const next = buttons[(at + step + buttons.length) % buttons.length];
      next?.focus();
      next?.click();
    }
  });
  return group;
}

function choose(value: string): void {
  const { question } = state;
  if (value === "vault" || value === "folder") {
    state.question = { ...question, scope: value };
  } else if (value === "everything" || value === "notes" || value === "files") {
    state.question = { ...question, kinds: value };
  } else if (value === "hybrid" || value === "keyword" || value === "vector") {
    state.question = { ...question, mode: value };
  }
  showToggles();
  ask();
}

function showToggles(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>("[role=radio]")) {
    const value = button.dataset.value;
    const { mode, scope, kinds: shown = "everything" } = state.question;
    const isOn = value === mode || value === scope || value === shown;
    button.setAttribute("aria-checked", String(isOn));
    button.tabIndex = isOn ? 0 : -1;
  }
}

function ask(): void {
  state.question = { ...state.question, query: input.value };
  code.setState(state);
  code.postMessage({ type: "search", question: state.question });
  if (input.value.trim() === "") {
    rows.clear();
    count.textContent = "";
    notices.replaceChildren();
    draw();
  } else {
    list.setAttribute("aria-busy", "true");
  }
}

function remember(): void {
  const query = input.value.trim();
  if (query !== "") {
    state.history = [query, ...state.history.filter((old) => old !== query)].slice(0, N_HISTORY);
    code.setState(state);
  }
  past = -1;
}

function recall(step: number): void {
  const next = past + step;
  const query = next < 0 ? "" : state.history[next];
  if (query !== undefined) {
    past = Math.max(-1, next);
    input.value = query;
    ask();
  }
}

function show(next: SearchAnswer, query: string, isWhole: boolean): void {
  rows.show(next.results, query);
  list.setAttribute("aria-busy", String(!isWhole));
  count.textContent = countInWords(next, isWhole);
  notices.replaceChildren(...next.notices.map(({ message }) => make("li", "", message)));
  room = excerptColumns();
  draw();
}

function draw(): void {
  inPlace(list, () => {
    list.replaceChildren(...rows.all.map((each, at) => (isFold(each) ? fold(each, at) : row(each, at))));
  });
  mark();
}

/** The line that folds and unfolds the weak results. */
function fold({ nWeak, isOpen }: Fold, at: number): HTMLElement {
  const line = make("div", "fold", "", { role: "option", id: `result-${at}`, tabindex: "-1" });
  line.append(make("span", "arrow", isOpen ? "▾" : "▸", { "aria-hidden": "true" }), nWeakInWords(nWeak));
  line.append(make("span", "spoken", isOpen ? ", shown" : ", hidden"));
  line.addEventListener("click", toggleWeak);
  return line;
}

function toggleWeak(): void {
  rows.toggle();
  draw();
  list.children[rows.active]?.scrollIntoView({ block: "nearest" });
}

/** The columns that an excerpt has room for: three lines, each perhaps without its last word. */
function excerptColumns(): number {
  const ruler = make("span", "spoken", "x".repeat(100));
  list.append(ruler);
  const perLine = (100 * Math.max(0, list.clientWidth - 20)) / Math.max(1, ruler.scrollWidth);
  ruler.remove();
  return Math.max(20, Math.floor(3 * perLine) - 2 * Math.min(10, Math.floor(perLine / 3)));
}

function row(result: WireResult, at: number): HTMLElement {
  const item = make("article", "result", "", { role: "option", id: `result-${at}`, tabindex: "-1", "data-note": result.id });
  if (!isNote(result.id)) {
    item.dataset.vscodeContext = JSON.stringify({ webviewSection: "file", id: result.id, preventDefaultContextMenuItems: true });
  }
  const head = make("div", "head");
  head.append(make("span", "title", result.title), make("span", "folder", folderOf(result.id)));
  const level = result.strengthLevel === undefined ? "" : `${result.strengthLevel} match. `;
  const why = make("span", "strength", "", { title: `${level}Why this note? (Ctrl+.)` });
  why.append(make("span", "spoken", "strength "), strengthOf(result) || "why");
  why.addEventListener("click", (event) => {
    event.stopPropagation();
    rows.active = at;
    explain(result.id);
  });
  head.append(why);
  item.append(head);
  for (const [number, snippet] of result.snippets.entries()) {
    const line = make("div", "snippet");
    const shown = around(snippet.text, snippet.marks, room);
    for (const part of parts(shown.text, shown.marks)) {
      line.append(part.isMatch ? make("mark", "", part.text) : part.text);
    }
    line.addEventListener("click", (event) => {
      event.stopPropagation();
      go(at, event.ctrlKey || event.metaKey, number);
    });
    item.append(line);
  }
  item.append(make("div", "sentence", result.sentence));
  if (open.has(result.id)) {
    item.append(explanation(result));
  }
  item.addEventListener("click", (event) => {
    go(at, event.ctrlKey || event.metaKey);
  });
  return item;
}

function explain(id: string): void {
  if (!open.delete(id)) {
    open.add(id);
  }
  draw();
  list.children[rows.active]?.scrollIntoView({ block: "nearest" });
}

function go(at: number, isAside: boolean, snippet?: number): void {
  rows.active = at;
  mark();
  if (rows.isOnFold) {
    toggleWeak();
    return;
  }
  remember();
  const result = rows.current;
  if (result !== undefined) {
    code.postMessage({ type: "open", id: result.id, isAside, keepsFocus: false, ...(snippet === undefined ? {} : { snippet }) });
  }
}

function mark(): void {
  for (const [at, item] of [...list.children].entries()) {
    item.classList.toggle("active", at === rows.active);
    item.setAttribute("aria-selected", String(at === rows.active));
  }
  input.setAttribute("aria-expanded", String(list.children.length > 0));
  if (list.children.length > 0) {
    input.setAttribute("aria-activedescendant", `result-${rows.active}`);
  } else {
    input.removeAttribute("aria-activedescendant");
  }
}

function move(step: number): void {
  rows.move(step);
  mark();
  list.children[rows.active]?.scrollIntoView({ block: "nearest" });
}

new ResizeObserver(() => {
  const before = room;
  room = excerptColumns();
  if (room !== before) {
    draw();
  }
}).observe(list);

input.addEventListener("input", () => {
  past = -1;
  ask();
});
document.addEventListener("keydown", (event) => {
  const isInput = document.activeElement === input;
  if (event.altKey && isInput && (event.key === "ArrowUp" || event.key === "ArrowDown")) {
    event.preventDefault();
    recall(event.key === "ArrowUp" ? 1 : -1);
  } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    event.preventDefault();
    move(event.key === "ArrowDown" ? 1 : -1);
  } else if (event.key === "Enter" && !(document.activeElement instanceof HTMLButtonElement)) {
    event.preventDefault();
    go(rows.active, event.ctrlKey || event.metaKey);
  } else if ((event.ctrlKey || event.metaKey) && event.key === ".") {
    event.preventDefault();
    const id = rows.current?.id;
    if (id !== undefined) {
      explain(id);
    }
  } else if (event.key === "Escape") {
    event.preventDefault(); // the default would clear the input
    input.focus();
  }
});
window.addEventListener("message", ({ data }: MessageEvent<ToPage>) => {
  if (data.query !== input.value) {
    return; // an answer to an older query
  }
  if (data.type === "answer") {
    show(data.answer, data.query, data.isWhole);
  } else {
    list.setAttribute("aria-busy", "false");
    count.textContent = data.message;
  }
});

input.value = state.question.query;
showToggles();
if (input.value !== "") {
  ask();
}
if (document.hasFocus()) {
  input.focus(); // not after a reload, when the focus is elsewhere
}
