// The information that `locate` needs, from VS Code and the operating system.

import { execFile } from "node:child_process";
import { access, constants } from "node:fs/promises";
import * as path from "node:path";
import * as vscode from "vscode";
import type { Machine } from "./locate";

/** The part of the Python extension's interface that is used here. */
interface PythonApi {
  readonly environments: {
    getActiveEnvironmentPath(): { readonly path: string };
    resolveEnvironment(path: unknown): Promise<{ readonly executable: { readonly uri?: vscode.Uri } } | undefined>;
  };
}

export function machine(): Machine {
  const settings = vscode.workspace.getConfiguration("vaultseek.server");
  return {
    configured: settings.get<string[]>("command") ?? [],
    mayRun: vscode.workspace.isTrusted && (settings.get<boolean>("allowRunners") ?? false),
    bundled,
    python,
    hasPackage,
    onPath,
  };
}

/** The server in the extension's folder, where the packed extension of this platform has one. A system too old for it cannot run it. */
async function bundled(): Promise<string | undefined> {
  const program = path.join(__dirname, "..", "server", process.platform === "win32" ? "vaultseek.exe" : "vaultseek");
  try {
    await access(program);
  } catch {
    return undefined;
  }
  return (await runs(program, ["--version"])) ? program : undefined;
}

async function python(): Promise<string | undefined> {
  const extension = vscode.extensions.getExtension<PythonApi>("ms-python.python");
  if (!vscode.workspace.isTrusted || extension === undefined || isNamedByAFolder("python", "defaultInterpreterPath")) {
    return undefined; // notes may come from others, also in a trusted folder
  }
  try {
    const api = await extension.activate();
    const found = await api.environments.resolveEnvironment(api.environments.getActiveEnvironmentPath());
    const uri = found?.executable.uri;
    return uri === undefined || vscode.workspace.getWorkspaceFolder(uri) !== undefined ? undefined : uri.fsPath;
  } catch {
    return undefined;
  }
}

/** Whether a setting has a value in the settings of a folder or of the workspace. */
function isNamedByAFolder(section: string, name: string): boolean {
  return [undefined, ...(vscode.workspace.workspaceFolders ?? [])].some((folder) => {
    const value = vscode.workspace.getConfiguration(section, folder).inspect(name);
    return value?.workspaceValue !== undefined || value?.workspaceFolderValue !== undefined;
  });
}

function hasPackage(interpreter: string): Promise<boolean> {
  const code = "import importlib.util as u, sys; sys.exit(not (u.find_spec('lsp_server') and u.find_spec('search')))";
  return runs(interpreter, ["-P", "-c", code]);
}

/** Whether a program ends by itself and without an error. */
function runs(program: string, args: readonly string[]): Promise<boolean> {
  return new Promise((resolve) => {
    execFile(program, args, { timeout: 10_000 }, (error) => {
      resolve(error === null);
    });
  });
}

async function onPath(name: string): Promise<string | undefined> {
  const isWindows = process.platform === "win32";
  const endings = isWindows ? (process.env.PATHEXT ?? ".EXE;.CMD").split(";") : [""];
  for (const folder of (process.env.PATH ?? "").split(path.delimiter).filter((part) => path.isAbsolute(part))) {
    for (const ending of endings) {
      const file = path.join(folder, name + ending);
      try {
        await access(file, isWindows ? constants.F_OK : constants.X_OK);
        return file;
      } catch {
        continue;
      }
    }
  }
  return undefined;
}
