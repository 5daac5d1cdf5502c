import { readdirSync } from "node:fs";
import tseslint from "typescript-eslint";

/** Who may import what (design: provider/README.md): a broken rule is an error that says so. */
const restricted = (patterns) => ({
  "@typescript-eslint/no-restricted-imports": ["error", { patterns }],
});

const PROVIDER_ONLY = {
  group: ["**/sdk/**", "**/test/**", "**/examples/**"],
  message: "provider/ imports only itself.",
};
const PROVIDER = [
  {
    group: ["@pulumi/*", "@grpc/*", "google-protobuf", "google-protobuf/**"],
    message:
      "The provider process is loaded without the Pulumi SDK's API; only adapters/plugin/ serves its protocol.",
  },
  PROVIDER_ONLY,
];

/** The modules of provider/, layer by layer: a module imports only modules of the layers below its own. */
const LOWER_LAYERS = [
  ["published"],
  ["source"],
  ["resource", "installation"],
  ["destination", "kit"],
  ["provenance"],
  ["siteImage", "offlineSearch"],
  ["signing"],
  ["service", "download", "archive", "registry"],
  ["polling", "ownership"],
  ["http", "files"],
  ["messages"],
  ["time", "tracing", "concurrency", "search"],
];
// the adapters and the resources, a folder each
const top = readdirSync(`${import.meta.dirname}/provider`, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !LOWER_LAYERS.flat().includes(entry.name))
  .map(({ name }) => name);
const LAYERS = [top, ...LOWER_LAYERS];

const modules = LAYERS.flatMap((layer, level) =>
  layer.map((module) => {
    const closed = LAYERS.slice(0, level + 1)
      .flat()
      .filter((other) => other !== module);
    return {
      files: [`provider/${module}/**`],
      rules: restricted([
        ...PROVIDER,
        {
          group: ["../dynamic", ...closed.map((other) => `**/${other}/**`)],
          message: `provider/${module}/ imports only itself and the layers below, see provider/README.md.`,
        },
      ]),
    };
  }),
);

export default tseslint.config(
  {
    ignores: [
      "dist/",
      "plugin/",
      "provider/adapters/plugin/launcher/", // for any Node.js, however old
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
    rules: restricted(PROVIDER),
  },
  ...modules,
  {
    files: ["provider/adapters/plugin/**"],
    rules: restricted([
      PROVIDER_ONLY,
      {
        regex: "^@pulumi/(?!pulumi/proto/)",
        message: "The plugin takes only the generated stubs of Pulumi's protocol, not the SDK's API.",
      },
      { group: ["../dynamic/**"], message: "The adapters share adapters/session/, nothing else." },
    ]),
  },
  {
    files: ["provider/adapters/dynamic/**"],
    rules: restricted([
      ...PROVIDER,
      { group: ["../plugin/**"], message: "The adapters share adapters/session/, nothing else." },
    ]),
  },
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
    rules: restricted([
      {
        regex:
          "/provider/(?!adapters/session/nodeVersion$|time/clock$|tracing/tracer$|agentJob/lookUp\\.js$|messages/errors$|resource/inputTable$|installation/[^/]+$|kit/chartDigest$|source/fileDigest$|[^/]+/inputs$)",
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
    rules: restricted([
      {
        group: ["**/sdk/**", "**/provider/**", "**/dist/**", "**/test/**"],
        message: "Examples import the package by its name, as a user would.",
      },
    ]),
  },
  { files: ["**/*.mjs"], ...tseslint.configs.disableTypeChecked },
);
