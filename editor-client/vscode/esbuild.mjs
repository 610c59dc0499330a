// Bundles the extension and the page of its search view; with --tests also the unit tests.
import { build } from "esbuild";
import { readdirSync, rmSync } from "node:fs";

const isTesting = process.argv.includes("--tests");
rmSync("dist", { recursive: true, force: true });
const common = { bundle: true, minify: !isTesting, sourcemap: false, target: "es2022", logLevel: "warning" };
await build({
  ...common,
  entryPoints: ["src/extension.ts"],
  outfile: "dist/extension.js",
  platform: "node",
  format: "cjs",
  external: ["vscode"],
});
await build({ ...common, entryPoints: ["src/webview/main.ts"], outfile: "dist/webview.js", platform: "browser", format: "iife" });
if (isTesting) {
  await build({
    ...common,
    entryPoints: readdirSync("test/unit").filter((name) => name.endsWith(".test.ts")).map((name) => `test/unit/${name}`),
    alias: { vscode: "./test/unit/vscode.ts" },
    outdir: "dist/test",
    platform: "node",
    format: "esm",
    outExtension: { ".js": ".mjs" },
  });
}
