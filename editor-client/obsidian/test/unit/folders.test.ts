import assert from "node:assert/strict";
import { test } from "node:test";
import { knownFolders } from "../../src/server/folders";

const listing = (folders: Record<string, string[]>) => (folder: string) => Promise.resolve(folders[folder] ?? []);

test("on Linux the folders of pipx and uv come first, then Homebrew, the system and pyenv, its newest Python first", async () => {
  const list = listing({ "/home/me/.pyenv/versions": ["3.9.1", "3.12.0", "envs"] });
  assert.deepEqual(await knownFolders({ platform: "linux", home: "/home/me", env: {}, list }), [
    ...["/home/me/.local/bin", "/home/linuxbrew/.linuxbrew/bin", "/home/me/.linuxbrew/bin", "/usr/local/bin", "/usr/bin"],
    ...["/home/me/.pyenv/versions/3.12.0/bin", "/home/me/.pyenv/versions/3.9.1/bin", "/home/me/.pyenv/shims"],
  ]);
});

test("on macOS Homebrew for both processors and Python's own folders are searched", async () => {
  const list = listing({ "/Users/me/Library/Python": ["3.11", "3.13"], "/Library/Frameworks/Python.framework/Versions": ["3.12", "Current"] });
  const found = await knownFolders({ platform: "darwin", home: "/Users/me", env: {}, list });
  for (const folder of ["/opt/homebrew/bin", "/usr/local/bin", "/Users/me/Library/Python/3.13/bin", "/Library/Frameworks/Python.framework/Versions/3.12/bin"]) {
    assert.ok(found.includes(folder), folder);
  }
});

test("on Windows the scripts of every Python are searched", async () => {
  const env = { APPDATA: "C:\\R", LOCALAPPDATA: "C:\\L" };
  const list = listing({
    "C:\\R\\Python": ["Python312"],
    "C:\\L\\Programs\\Python": ["Python311", "Launcher"],
    "C:\\me\\.pyenv\\pyenv-win\\versions": ["3.12.1"],
  });
  assert.deepEqual(await knownFolders({ platform: "win32", home: "C:\\me", env, list }), [
    ...["C:\\me\\.local\\bin", "C:\\me\\scoop\\shims", "C:\\R\\Python\\Scripts"],
    ...["C:\\me\\.pyenv\\pyenv-win\\versions\\3.12.1\\Scripts", "C:\\R\\Python\\Python312\\Scripts", "C:\\L\\Programs\\Python\\Python311\\Scripts"],
  ]);
});

test("variables of the installers win", async () => {
  const found = await knownFolders({ platform: "linux", home: "/h", env: { PIPX_BIN_DIR: "/p", UV_TOOL_BIN_DIR: "/u", XDG_BIN_HOME: "" }, list: listing({}) });
  assert.deepEqual(found.slice(0, 3), ["/p", "/u", "/h/.local/bin"]);
});
