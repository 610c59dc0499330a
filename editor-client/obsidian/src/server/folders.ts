// Where installers of Python programs put them. A desktop program does not see the PATH of the shell.

import { posix, win32 } from "node:path";

/** What the folders depend on. */
export interface Place {
  readonly platform: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The names in a folder, empty if it does not exist. */
  list(folder: string): Promise<readonly string[]>;
}

/** Folders in the order in which they are searched: pipx and uv, Homebrew and the system, pyenv, Python's own. */
export async function knownFolders(place: Place): Promise<string[]> {
  const { env, home, platform } = place;
  const own = [env.PIPX_BIN_DIR, env.UV_TOOL_BIN_DIR, env.XDG_BIN_HOME].filter((folder) => folder !== undefined && folder !== "") as string[];
  const found = platform === "win32" ? await onWindows(place) : await onUnix(place, home);
  return [...new Set([...own, ...found])];
}

async function onUnix(place: Place, home: string): Promise<string[]> {
  const { env, platform } = place;
  const isMac = platform === "darwin";
  const pyenv = env.PYENV_ROOT ?? posix.join(home, ".pyenv");
  const versions = posix.join(pyenv, "versions");
  const frameworks = isMac ? "/Library/Frameworks/Python.framework/Versions" : undefined;
  const users = isMac ? posix.join(home, "Library/Python") : undefined;
  return [
    posix.join(home, ".local/bin"),
    ...(isMac ? ["/opt/homebrew/bin"] : ["/home/linuxbrew/.linuxbrew/bin", posix.join(home, ".linuxbrew/bin")]),
    "/usr/local/bin",
    "/usr/bin",
    ...(await inside(place, versions)).map((version) => posix.join(versions, version, "bin")),
    posix.join(pyenv, "shims"),
    ...(await Promise.all([users, frameworks].map(async (folder) =>
      folder === undefined ? [] : (await inside(place, folder)).map((version) => posix.join(folder, version, "bin")),
    ))).flat(),
  ];
}

async function onWindows(place: Place): Promise<string[]> {
  const { env, home } = place;
  const roaming = win32.join(env.APPDATA ?? win32.join(home, "AppData\\Roaming"), "Python");
  const local = win32.join(env.LOCALAPPDATA ?? win32.join(home, "AppData\\Local"), "Programs\\Python");
  const pyenv = win32.join(env.PYENV_ROOT ?? win32.join(home, ".pyenv\\pyenv-win"), "versions");
  const scripts = await Promise.all([pyenv, roaming, local].map(async (folder) =>
    (await inside(place, folder)).map((version) => win32.join(folder, version, "Scripts")),
  ));
  return [win32.join(home, ".local\\bin"), win32.join(home, "scoop\\shims"), win32.join(roaming, "Scripts"), ...scripts.flat()];
}

/** The folders of Python's versions in a folder, the newest first. */
async function inside(place: Place, folder: string): Promise<string[]> {
  const names = (await place.list(folder)).filter((name) => /\d/u.test(name));
  return names.sort((a, b) => b.localeCompare(a, "en", { numeric: true }));
}
