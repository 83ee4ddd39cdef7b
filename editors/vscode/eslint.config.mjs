import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["out/", "bin/", "node_modules/", ".cache/", "*.mjs", "e2e/"] },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { project: ["./tsconfig.json", "./src/webview/tsconfig.json"], tsconfigRootDir: import.meta.dirname } },
    rules: {
      "no-console": "error",
      "no-control-regex": "off",
      eqeqeq: "error",
      curly: "error",
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
    },
  },
  {
    files: ["test/**/*.ts"],
    rules: {
      // node:test's describe and it return promises that nobody has to await.
      "@typescript-eslint/no-floating-promises": "off",
    },
  },
);
