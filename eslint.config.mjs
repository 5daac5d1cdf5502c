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

/** The mission, from what stands on nothing upwards: a folder imports only those before it. */
const MISSION = ["runtime", "http", "service", "resource", "agentJob", "staticExport"];
/** The areas that stand on the mission: they import the mission up to `resource`, and the areas before them. */
const AREAS = ["site", "images", "copies", "kits", "installation", "doctor"];
/** Inside an area with modules: a module imports only those before it. */
const MODULES = {
  runtime: ["time", "concurrency", "messages", "tracing", "files"],
  service: ["polling"],
  site: ["archive", "inspection", "search", "offlineSearch"],
  images: ["registry", "signing", "siteImage", "provenance"],
  copies: ["download", "ownership", "destinations", "source", "publication", "bundleCopy"],
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

/** What an area, or one of its modules, must not import. */
const closedFor = (area, module) => {
  const above = MISSION.includes(area)
    ? ["adapters", ...after(MISSION, area), ...AREAS]
    : ["adapters", "agentJob", "staticExport", ...after(AREAS, area)];
  const beside = module === undefined ? [] : after(MODULES[area], module);
  return [...above, ...beside].map((other) => `**/${other}/**`);
};

const areas = [...MISSION, ...AREAS].flatMap((area) => [
  closedTo(area, closedFor(area)),
  ...(MODULES[area] ?? []).map((module) => closedTo(`${area}/${module}`, closedFor(area, module))),
]);

/** Layouts, records and marks in buckets stand on the interface of a store. */
const OBJECT_STORE = "copies/destinations/objectStore";
const anyStore = {
  files: [`provider/${OBJECT_STORE}/*.ts`],
  rules: restricted([
    ...PROVIDER,
    {
      group: [
        ...closedFor("copies", "destinations"),
        "./*/**",
        "@aws-sdk/**",
        "@smithy/**",
        "@azure/**",
        "@google-cloud/**",
      ],
      message: `provider/${OBJECT_STORE}/ names no store: only the folder of a store, such as s3/, uses its library.`,
    },
  ]),
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
  ...areas,
  anyStore,
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
          "/provider/(?!adapters/session/nodeVersion$|runtime/time/clock$|runtime/tracing/tracer$|agentJob/lookUp\\.js$|runtime/messages/errors$|resource/(?:(?:input|output)Table|anyValue)$|installation/[^/]+$|kits/contents/(?:chartDigest|mergeValues)$|copies/source/fileDigest$|(?:[^/]+/)+(?:inputs|outputs)$)",
        allowTypeImports: true,
        message:
          "The user's program takes types, tables of inputs and outputs, and errors from provider/, and the one read that it does itself.",
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
