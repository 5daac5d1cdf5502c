import tseslint from "typescript-eslint";

/** The wall between the two processes (README, «How it works»): who may import what. */
const wall = (patterns) => ({
  "@typescript-eslint/no-restricted-imports": ["error", { patterns }],
});

export default tseslint.config(
  {
    ignores: ["dist/", ".work/", "node_modules/", "test/fixtures/", "examples/reference-service/site/theme/"],
  },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: { allowDefaultProject: ["*.mjs", ".ci/*.mjs"] } } },
    rules: {
      "@typescript-eslint/no-floating-promises": "error",
      "@typescript-eslint/restrict-template-expressions": [
        "error",
        { allowNumber: true, allowBoolean: true },
      ],
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/no-confusing-void-expression": "off", // `return fail(…)` reads well
    },
  },
  {
    files: ["provider/**"],
    rules: wall([
      { group: ["@pulumi/*"], message: "The provider process is loaded without the Pulumi SDK's API." },
      { group: ["**/sdk/**", "**/test/**", "**/examples/**"], message: "provider/ imports only itself." },
    ]),
  },
  {
    files: ["sdk/**"],
    rules: wall([
      {
        group: ["**/provider/**", "!**/provider/agentJobLookup", "!**/provider/clock"],
        allowTypeImports: true,
        message: "The user's program takes only types from provider/, and the one read that it does itself.",
      },
      { group: ["**/test/**", "**/examples/**"], message: "sdk/ imports only itself and provider/." },
    ]),
  },
  {
    files: ["examples/**"],
    ignores: ["examples/start/**"],
    rules: wall([
      {
        group: ["**/sdk/**", "**/provider/**", "**/dist/**", "**/test/**"],
        message: "Examples import the package by its name, as a user would.",
      },
    ]),
  },
  { files: ["**/*.mjs"], ...tseslint.configs.disableTypeChecked },
);
