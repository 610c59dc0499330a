import tseslint from "typescript-eslint";

export default tseslint.config(...tseslint.configs.strictTypeChecked, ...tseslint.configs.stylisticTypeChecked, {
  languageOptions: {
    parserOptions: { project: ["./tsconfig.json", "./src/webview/tsconfig.json", "../shared/tsconfig.json"], tsconfigRootDir: import.meta.dirname },
  },
  rules: {
    "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
  },
}, {
  files: ["**/test/**"],
  rules: {
    "@typescript-eslint/no-floating-promises": "off", // node:test collects them
    "@typescript-eslint/no-unnecessary-condition": "off", // indexing in tests is meant to fail loudly
  },
});
