import { readdirSync } from "node:fs";
import tseslint from "typescript-eslint";

/** Who may import what (design: provider/README.md): a broken rule is an error that says so. */
const wall = (patterns) => ({
  "@typescript-eslint/no-restricted-imports": ["error", { patterns }],
});

const PROVIDER = [
  { group: ["@pulumi/*"], message: "The provider process is loaded without the Pulumi SDK's API." },
  { group: ["**/sdk/**", "**/test/**", "**/examples/**"], message: "provider/ imports only itself." },
];

/** The rooms of provider/, floor by floor: imports go down the stairs only. */
const LOWER_FLOORS = [
  ["published"],
  ["source"],
  ["resource"],
  ["destination", "kit"],
  ["siteImage"],
  ["service", "waiting", "download", "archive", "registry"],
  ["http", "disk"],
  ["time", "tracing", "words"],
];
// the door and the resources, a folder each
const top = readdirSync(`${import.meta.dirname}/provider`, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !LOWER_FLOORS.flat().includes(entry.name))
  .map(({ name }) => name);
const FLOORS = [top, ...LOWER_FLOORS];

const rooms = FLOORS.flatMap((floor, level) =>
  floor.map((room) => {
    const closed = FLOORS.slice(0, level + 1)
      .flat()
      .filter((other) => other !== room);
    return {
      files: [`provider/${room}/**`],
      rules: wall([
        ...PROVIDER,
        {
          group: ["../dynamic", ...closed.map((other) => `**/${other}/**`)],
          message: `provider/${room}/ imports only itself and the floors below, see provider/README.md.`,
        },
      ]),
    };
  }),
);

export default tseslint.config(
  {
    ignores: [
      "dist/",
      ".work/",
      "node_modules/",
      "test/fixtures/",
      "test/foreignSites/*/",
      "examples/reference-service/site/theme/",
    ],
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
    rules: wall(PROVIDER),
  },
  ...rooms,
  {
    files: ["sdk/*.ts"],
    rules: {
      // a resource's class has its outputs from an interface of its name; Pulumi makes the properties
      "@typescript-eslint/no-unsafe-declaration-merging": "off",
      "@typescript-eslint/no-empty-object-type": ["error", { allowInterfaces: "with-single-extends" }],
    },
  },
  {
    files: ["sdk/**"],
    rules: wall([
      {
        regex:
          "/provider/(?!door/nodeVersion$|time/clock$|tracing/tracer$|agentJob/lookUp\\.js$|words/errors$|resource/inputTable$|[^/]+/inputs$)",
        allowTypeImports: true,
        message:
          "The user's program takes types, tables of inputs and errors from provider/, and the one read that it does itself.",
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
