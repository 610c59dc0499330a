// The part of ms-python.python's interface that names the active interpreter.

const vscode = require("vscode");

exports.activate = () => ({
  environments: {
    getActiveEnvironmentPath: () => ({ path: vscode.workspace.getConfiguration("python").get("defaultInterpreterPath") }),
    resolveEnvironment: async ({ path }) => (path === "" ? undefined : { executable: { uri: vscode.Uri.file(path) } }),
  },
});
