import obsidianmd from "eslint-plugin-obsidianmd";
import tseslint from "typescript-eslint";

// The rules of Obsidian's community, and those of the other TypeScript clients.
export default tseslint.config(
  { ignores: ["dist", "build", "node_modules", "**/*.mjs"] },
  ...obsidianmd.configs.recommended,
  ...[...tseslint.configs.strictTypeChecked, ...tseslint.configs.stylisticTypeChecked].map((config) => ({ ...config, files: ["src/**/*.ts", "test/**/*.ts"] })),
  {
    files: ["src/**/*.ts", "test/**/*.ts"],
    languageOptions: { parserOptions: { project: ["./tsconfig.json"], tsconfigRootDir: import.meta.dirname } },
    rules: {
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
    },
  },
  {
    files: ["src/server/**", "test/**"],
    rules: { "obsidianmd/prefer-window-timers": "off" }, // these wait for processes, and no window can close before them
  },
  {
    files: ["test/**"],
    rules: {
      "@typescript-eslint/no-floating-promises": "off", // node:test collects them
      "@typescript-eslint/no-unnecessary-condition": "off", // indexing in tests is meant to fail loudly
      "obsidianmd/hardcoded-config-path": "off", // test vaults have the usual name
      "obsidianmd/no-global-this": "off", // the stand-in of the app makes the window
      "obsidianmd/prefer-create-el": "off", // and the functions that create elements
    },
  },
);
