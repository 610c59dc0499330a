// Bundles the extension and the page of its search view into dist; with --tests both and the unit tests into build.
import { build } from "esbuild";
import { readdirSync, rmSync } from "node:fs";

const isTesting = process.argv.includes("--tests");
const out = isTesting ? "build" : "dist"; // so that tests may run while the extension is packed
rmSync(out, { recursive: true, force: true });
const common = { bundle: true, minify: !isTesting, sourcemap: false, target: "es2022", logLevel: "warning" };
await build({
  ...common,
  entryPoints: ["src/extension.ts"],
  outfile: `${out}/extension.js`,
  platform: "node",
  format: "cjs",
  external: ["vscode"],
});
await build({ ...common, entryPoints: ["src/webview/main.ts"], outfile: `${out}/webview.js`, platform: "browser", format: "iife" });
if (isTesting) {
  await build({
    ...common,
    entryPoints: ["test/unit", "../shared/test"].flatMap((folder) => readdirSync(folder).filter((name) => name.endsWith(".test.ts")).map((name) => `${folder}/${name}`)),
    entryNames: "[hash]-[name]", // both folders have a file of the same name
    alias: { vscode: "./test/unit/vscode.ts" },
    outdir: `${out}/test`,
    platform: "node",
    format: "esm",
    outExtension: { ".js": ".mjs" },
  });
}
