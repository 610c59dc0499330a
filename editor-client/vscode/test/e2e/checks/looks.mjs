// Themes, a narrow side bar and accessibility, checked with axe.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { until } from "../editor.mjs";
import { ask } from "./sidebar.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const THEMES = { dark: ["Default Dark Modern", "vs-dark", "vscode-dark"], light: ["Default Light Modern", "vs", "vscode-light"], "high-contrast": ["Default High Contrast", "hc-black", "vscode-high-contrast"], "high-contrast-light": ["Default High Contrast Light", "hc-light", "vscode-high-contrast-light"] };

/** Searches and opens the first result's explanation. */
async function explained(editor) {
  await ask(editor, "orchid water");
  if ((await editor.webview.locator(".explanation").count()) === 0) {
    await editor.query.press("Control+.");
    await editor.webview.locator(".explanation").waitFor();
  }
}

async function wear(editor, [theme, className, kind]) {
  await editor.set({ "workbench.colorTheme": theme });
  await editor.page.locator(`.monaco-workbench.${className}`).waitFor();
  await editor.webview.locator(`body[data-vscode-theme-kind="${kind}"]`).waitFor();
}

/** The problems that axe finds in the search view, one per line. */
async function faults(editor) {
  const body = await editor.webview.locator("body").elementHandle();
  const frame = await body.ownerFrame();
  await frame.evaluate(AXE);
  const result = await frame.evaluate(() => {
    // The page is transparent over the side bar, which axe would treat as white.
    document.documentElement.style.background = "var(--vscode-sideBar-background)";
    return globalThis.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"] });
  });
  return result.violations.flatMap(({ id, nodes }) => nodes.map(({ html, any }) => `${id}: ${html.slice(0, 160)} ${any.map(({ message }) => message).join(" ")}`));
}

const narrow = async (editor, width) => {
  const sidebar = editor.page.locator(".part.sidebar");
  const { mouse } = editor.page;
  await until(async () => {
    const { x, y, width: now } = await sidebar.boundingBox();
    if (Math.abs(now - width) <= 1) {
      return true;
    }
    await mouse.move(x + now, y + 300);
    await mouse.down();
    await mouse.move(x + width + 1, y + 300, { steps: 4 });
    await mouse.up();
    const after = (await sidebar.boundingBox()).width;
    return Math.abs(after - width) <= 4;
  }, `a side bar ${width} pixels wide`);
};

export const checks = {
  ...Object.fromEntries(
    Object.entries(THEMES).map(([name, theme]) => [
      `looks: ${name}, with nothing for axe to find`,
      async (editor) => {
        await editor.openFile("Orchid care.md");
        await explained(editor);
        await wear(editor, theme);
        await editor.picture(`sidebar-${name}`);
        assert.deepEqual(await faults(editor), []);
        await editor.search("orchid care");
        await editor.answered((rows) => rows.length > 1 && rows[0].startsWith("Orchid care"), "the note and others");
        await editor.picture(`palette-${name}`);
        await editor.page.keyboard.press("Escape");
      },
    ]),
  ),

  "looks: nothing is cut off at 200 pixels": async (editor) => {
    await wear(editor, THEMES.dark);
    await ask(editor, "orchid water");
    const before = (await editor.page.locator(".part.sidebar").boundingBox()).width;
    await narrow(editor, 200);
    await until(() => editor.webview.locator("body").evaluate(() => innerWidth <= 200), "the narrow page");
    const cut = await editor.webview.locator("body").evaluate(() =>
      [...document.querySelectorAll("input, button, .title, .strength, .count, .bars, .legend li")]
        .filter((element) => element.getBoundingClientRect().right > innerWidth + 0.5 || element.getBoundingClientRect().left < 0)
        .map((element) => element.className || element.textContent),
    );
    assert.deepEqual(cut, []);
    assert.equal(await editor.webview.locator("body").evaluate(() => document.documentElement.scrollWidth > innerWidth), false);
    await editor.picture("narrow");
    await narrow(editor, before);
  },

  "looks: a screen reader gets names, states and reasons": async (editor) => {
    await explained(editor);
    const tree = await editor.webview.locator("body").ariaSnapshot();
    for (const line of [
      /combobox "Search your notes" \[expanded\]/u,
      /radiogroup "Find by"/u,
      /radio "Both" \[checked\]/u,
      /radiogroup "Search in"/u,
      /status: 6 notes/u,
      /listbox "Results"/u,
      /option "Orchid care Ünï cødé strength 0\.\d\d Water the orchid .*similar in meaning.*lexical \+0\.\d+.*semantic \+0\.\d+.*" \[selected\]/u,
    ]) {
      assert.match(tree, line);
    }
    assert.match(await editor.item.getAttribute("aria-label"), /^Vaultseek\. .*7\d notes/su);
    await editor.page.locator('.pane-header[aria-label^="Related Notes"]').waitFor();
  },
};
