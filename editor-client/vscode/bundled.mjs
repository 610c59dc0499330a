// Packs the extension together with the server for this platform: node bundled.mjs PATH/TO/FOLDER, which has the program `vaultseek`.
import { execFileSync } from "node:child_process";
import { cpSync, rmSync } from "node:fs";

const [folder] = process.argv.slice(2);
rmSync("server", { recursive: true, force: true });
cpSync(folder, "server", { recursive: true, dereference: true });
const target = `${process.platform}-${process.arch}`; // these are vsce's names too
const options = ["--no-dependencies", "--ignoreFile", ".vscodeignore-bundled", "--target", target, "-o", "vaultseek-bundled.vsix"];
execFileSync(process.execPath, ["node_modules/@vscode/vsce/vsce", "package", ...options], { stdio: ["ignore", "ignore", "inherit"] });
rmSync("server", { recursive: true }); // the smaller extension must not get it
