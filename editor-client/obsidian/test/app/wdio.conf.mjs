// The plugin in the real app, which this downloads; see checks.mjs. It has not been run yet.
//
//   VAULTSEEK=PATH/TO/vaultseek npx wdio run wdio.conf.mjs

import { resolve } from "node:path";

const here = import.meta.dirname;

// The oldest app that manifest.json allows, and the newest.
const capabilities = ["earliest", "latest"].map((version) => ({
  browserName: "obsidian",
  "wdio:obsidianOptions": {
    appVersion: version,
    installerVersion: version,
    plugins: [resolve(here, "../../dist")],
    vault: resolve(here, "../../../../vault_fixtures/handbook"), // opened as a copy
  },
}));

export const config = {
  runner: "local",
  rootDir: resolve(here, "../.."), // where manifest.json is
  framework: "mocha",
  specs: [resolve(here, "checks.mjs")],
  maxInstances: 1,
  capabilities,
  services: ["obsidian"],
  reporters: ["obsidian"],
  mochaOpts: { ui: "bdd", timeout: 120_000 },
  waitforTimeout: 60_000, // the first answer waits for the server's start
  logLevel: "warn",
  cacheDir: resolve(here, "../../build/app"),
};
