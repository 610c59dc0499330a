// Bundles the plugin into dist, as Obsidian loads it; with --tests the unit tests and their stand-in into build.
import { build } from "esbuild";
import { cpSync, readdirSync, rmSync } from "node:fs";
import { builtinModules } from "node:module";

const isTesting = process.argv.includes("--tests");
const out = isTesting ? "build/test" : "dist";
rmSync(out, { recursive: true, force: true });
const common = { bundle: true, minify: !isTesting, sourcemap: false, target: "es2022", logLevel: "warning", platform: "node", nodePaths: ["node_modules"] };
const builtins = builtinModules.flatMap((name) => [name, `node:${name}`]);
if (isTesting) {
  const folder = "test/unit";
  const alias = { obsidian: "./test/stand-in/obsidian.ts" };
  await build({
    ...common,
    entryPoints: readdirSync(folder).filter((name) => name.endsWith(".test.ts")).map((name) => `${folder}/${name}`),
    alias,
    external: ["jsdom"],
    outdir: out,
    format: "esm",
    outExtension: { ".js": ".mjs" },
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
  });
} else {
  await build({ ...common, entryPoints: ["src/main.ts"], outfile: `${out}/main.js`, format: "cjs", external: ["obsidian", "electron", ...builtins] });
  for (const name of ["manifest.json", "styles.css"]) {
    cpSync(name, `${out}/${name}`);
  }
}
