import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

const json = (file: string) => JSON.parse(readFileSync(file, "utf8")) as Record<string, string>;
const sources = () => readdirSync("src", { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
const readme = () => readFileSync("README.md", "utf8");

test("the manifest has what the community asks for", () => {
  const manifest = json("manifest.json");
  assert.deepEqual(Object.keys(manifest), ["id", "name", "version", "minAppVersion", "description", "author", "isDesktopOnly"]);
  assert.match(manifest.id ?? "", /^[a-z-]+$/u);
  assert.doesNotMatch(`${manifest.id} ${manifest.name} ${manifest.description}`, /obsidian|plugin/iu);
  assert.match(manifest.version ?? "", /^\d+\.\d+\.\d+$/u);
  assert.ok((manifest.description ?? "").length <= 250 && manifest.description?.endsWith("."));
  assert.equal(manifest.isDesktopOnly, true);
});

test("all files agree on the version, and it says which app it needs", () => {
  const { version, minAppVersion } = json("manifest.json");
  assert.ok(version !== undefined);
  assert.equal(json("package.json").version, version);
  assert.equal(json("versions.json")[version], minAppVersion);
  assert.match(readFileSync("../../pyproject.toml", "utf8"), new RegExp(`^version = "${version}"$`, "mu"));
});

test("the release has the three files that the app loads, and main.js needs nothing else", () => {
  execFileSync("node", ["esbuild.mjs"]);
  assert.deepEqual(readdirSync("dist").sort(), ["main.js", "manifest.json", "styles.css"]);
  const main = readFileSync("dist/main.js", "utf8");
  const needed = new Set([...main.matchAll(/\brequire\("([^"]+)"\)/gu)].map(([, name]) => (name ?? "").replace(/^node:/u, "")));
  const allowed = ["child_process", "crypto", "fs", "fs/promises", "net", "obsidian", "os", "path", "url", "util", "worker_threads", "events", "string_decoder", "stream"];
  assert.deepEqual([...needed].filter((name) => !allowed.includes(name)), []);
  assert.ok(main.length < 250_000);
});

test("no source writes HTML, evaluates text, opens a connection, or sets a hotkey", () => {
  for (const name of sources()) {
    const text = readFileSync(`src/${name}`, "utf8");
    assert.doesNotMatch(text, /innerHTML|outerHTML|insertAdjacentHTML|\beval\(|new Function|hotkeys|fetch\(|requestUrl|XMLHttpRequest|detachLeavesOfType/u, name);
  }
});

test("the README tells of files outside the vault, of the network and of the program it starts", () => {
  for (const part of [/cache folder/u, /outside the vault/u, /network|sent anywhere/u, /starts? .*program/u, /no telemetry/iu]) {
    assert.match(readme(), part);
  }
});

test("styles use the theme's colours only", () => {
  const css = readFileSync("styles.css", "utf8");
  assert.doesNotMatch(css, /#[0-9a-f]{3,8}\b|rgb\(|!important/iu);
});
