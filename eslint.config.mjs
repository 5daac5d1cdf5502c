import importSort from "eslint-plugin-simple-import-sort";
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

/** What stands on nothing else, from the bottom: a folder imports only those before it. */
const BASE = ["runtime", "http"];
/** What publishes a bundle. It stands on `base/`, knows nothing of the mission, and is imported through its `index.ts`. */
const PUBLISHING = [
  "archives",
  "inspection",
  "search",
  "sitePages",
  "offlineSearch",
  "llmsTxt",
  "externalAssets",
  "additions",
  "images",
  "download",
  "ownership",
  "destinations",
];
/** What is added to sites, in this order there, too: each addition is independent of the others. */
const ADDITIONS = ["offlineSearch", "llmsTxt", "externalAssets"];
/** The mission, from the bottom. */
const MISSION = ["service", "resource"];
/** The resources of the mission: none imports another. */
const RESOURCES = ["agentJob", "staticExport"];
/** The areas that stand on both: they import the mission up to `resource`, and the areas before them. */
const AREAS = ["copies", "kits", "installation", "doctor"];
/** Inside a folder with modules: a module imports only those before it. */
const MODULES = {
  "base/runtime": ["values", "time", "concurrency", "messages", "tracing", "files"],
  service: ["polling"],
  "publishing/images": ["registry", "signing", "siteImage", "provenance", "layout"],
  copies: ["source", "publication", "bundleCopy"],
  kits: ["contents", "airGapKit"],
};

/** The rule of one folder: what it must not import. */
const closedTo = (folder, closed) => ({
  files: [`provider/${folder}/**`],
  rules: restricted([
    ...PROVIDER,
    {
      group: ["../dynamic", "../../dynamic", ...closed],
      message: `provider/${folder}/ imports only itself and what is below it, see provider/README.md.`,
    },
  ]),
});
const after = (list, name) => list.slice(list.indexOf(name) + 1);
const before = (list, name) => list.slice(0, Math.max(0, list.indexOf(name)));
const below = (folders) => folders.map((folder) => `**/${folder}/**`);

/** Only its index is imported from outside. */
const INSIDE_PUBLISHING = "**/publishing/*/**";
const EVERYTHING_ABOVE = ["adapters", ...MISSION, ...RESOURCES, ...AREAS];
/** A folder, and what it must not import. */
const FOLDERS = [
  ...BASE.map((name) => [`base/${name}`, below([...after(BASE, name), "publishing", ...EVERYTHING_ABOVE])]),
  ...PUBLISHING.map((name) => [
    `publishing/${name}`,
    [
      "../index",
      "../../index",
      ...below([...after(PUBLISHING, name), ...before(ADDITIONS, name), ...EVERYTHING_ABOVE]),
    ],
  ]),
  ...MISSION.map((name) => [
    name,
    below(["adapters", ...after(MISSION, name), ...RESOURCES, "publishing", ...AREAS]),
  ]),
  ...RESOURCES.map((name) => [
    name,
    below(["adapters", ...RESOURCES.filter((other) => other !== name), "publishing", ...AREAS]),
  ]),
  ...AREAS.map((name) => [
    name,
    [INSIDE_PUBLISHING, ...below(["adapters", ...RESOURCES, ...after(AREAS, name)])],
  ]),
];
const areas = FOLDERS.flatMap(([folder, closed]) => [
  closedTo(folder, closed),
  ...(MODULES[folder] ?? []).map((module) =>
    closedTo(`${folder}/${module}`, [...closed, ...below(after(MODULES[folder], module))]),
  ),
]);

/** Layouts, records and marks in buckets stand on the interface of a store. */
const OBJECT_STORE = "publishing/destinations/objectStore";
const STORES = ["s3", "azure", "gcs"];
const LIBRARIES = ["@aws-sdk/**", "@smithy/**", "@azure/**", "@google-cloud/**"];
/** What a folder of it must not import. */
const storeRule = (files, closed, message) => ({
  files: files.map((each) => `provider/${OBJECT_STORE}/${each}`),
  rules: restricted([
    ...PROVIDER,
    { group: ["../../index", "../../../index", ...below(EVERYTHING_ABOVE), ...closed], message },
  ]),
});
const NAMES_NO_STORE = `provider/${OBJECT_STORE}/ names no store: only the folder of a store, such as s3/, uses its library.`;
const objectStore = [
  storeRule(["*.ts"], ["./*/**", ...LIBRARIES], NAMES_NO_STORE),
  storeRule(
    ["bucketDestination.ts"],
    [...STORES.map((each) => `./${each}/**`), ...LIBRARIES],
    NAMES_NO_STORE,
  ),
  ...["site", "archive"].map((layout) =>
    storeRule(
      [`${layout}/**`],
      [...below([...STORES, layout === "site" ? "archive" : "site"]), ...LIBRARIES],
      NAMES_NO_STORE,
    ),
  ),
  ...STORES.map((store) =>
    storeRule(
      [`${store}/**`],
      below(["site", "archive", ...STORES.filter((other) => other !== store)]),
      "A store knows neither another store nor the layouts of copies.",
    ),
  ),
];

const LITERAL_SPREAD = {
  selector: "SpreadElement > ObjectExpression",
  message: "Write the fields themselves, without `...{ }`.",
};
/** The types of libraries have no other name. */
const INFERRED_FACE = {
  selector:
    "TSTypeReference[typeName.name='ReturnType'] > TSTypeParameterInstantiation > TSTypeQuery[exprName.name!=/^(?:setTimeout|parseArgs)$/]",
  message: "Give what the function returns an interface: a reader jumps to its name.",
};

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
    plugins: { "simple-import-sort": importSort },
    rules: {
      // Node's modules, packages, then files
      "simple-import-sort/imports": ["error", { groups: [["^\\u0000", "^node:", "^@?\\w", "^", "^\\."]] }],
      curly: ["error", "multi-line"],
      "max-len": ["error", { code: Infinity, comments: 140, ignoreUrls: true }],
      "@typescript-eslint/no-floating-promises": "error",
      "@typescript-eslint/restrict-template-expressions": [
        "error",
        { allowNumber: true, allowBoolean: true },
      ],
      "@typescript-eslint/consistent-type-imports": "error",
      "no-restricted-syntax": ["error", LITERAL_SPREAD],
      "@typescript-eslint/no-confusing-void-expression": "off", // `return fail(…)` reads well
    },
  },
  {
    files: ["provider/**"],
    rules: restricted(PROVIDER),
  },
  {
    files: ["provider/**", "sdk/**"],
    rules: { "no-restricted-syntax": ["error", LITERAL_SPREAD, INFERRED_FACE] },
  },
  ...areas,
  ...objectStore,
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
    // sites replace them: what the search box needs, it gets from script elements
    files: ["provider/publishing/search/browser/*.ts"],
    rules: { "no-restricted-globals": ["error", "JSON", "fetch", "XMLHttpRequest"] },
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
          "/provider/(?!adapters/session/nodeVersion$|base/runtime/time/clock$|base/runtime/tracing/tracer$|agentJob/lookUp\\.js$|base/runtime/values/fields$|base/runtime/messages/errors$|resource/(?:(?:input|output)Table|anyValue)$|installation/[^/]+$|kits/contents/(?:chartDigest|mergeValues)$|copies/source/fileDigest$|(?:[^/]+/)+outputs$)",
        allowTypeImports: true,
        message:
          "The user's program takes types, tables of outputs, and errors from provider/, and the one read that it does itself.",
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
