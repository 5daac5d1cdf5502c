// Mistakes in programs: what the compiler says about each. Those that only the preview can notice are in `REFUSED_LATER`.
import { join } from "node:path";
import ts from "typescript";
import { beforeAll, expect, test } from "vitest";

const EXPORT = `{ domain: "docs.example.com" }`;
const FILE = `{ file: "docs.tar.gz", version: "v1" }`;
const copy = (destination: string, more = ""): string =>
  `new BundleCopy("c", { source: ${FILE}, destination: ${destination}${more} })`;

/** A program, and a part of what the compiler says. */
const MISTAKES: Readonly<Record<string, readonly [program: string, says: string]>> = {
  "a base for a bucket": [copy(`{ bucket: "docs", base: "nginx" }`), "'base'"],
  "two destinations": [copy(`{ bucket: "docs", folder: "public" }`), "is not assignable"],
  "a layout for a repository": [copy(`{ repository: "r.example/docs", layout: "site" }`), "'layout'"],
  "a key without the encryption that uses it": [
    copy(`{ bucket: "docs", kmsKeyId: "alias/docs" }`),
    "Property 'encryption' is missing",
  ],
  "a layout that does not exist": [copy(`{ folder: "public", layout: "zip" }`), "'layout'"],
  "a file with a job": [
    `new BundleCopy("c", { source: { file: "docs.tar.gz", version: "v1", jobId: "7" }, destination: { folder: "public" } })`,
    "Types of property 'jobId' are incompatible",
  ],
  "a file without a label": [
    `new AirGapKit("k", { source: { file: "docs.tar.gz" }, folder: "kits" })`,
    "is not assignable",
  ],
  "a search for an archive": [copy(`{ folder: "public" }`, ", offlineSearch: true"), "is not assignable"],
  "a signature for an archive": [copy(`{ folder: "public" }`, `, signingKeyEnv: "KEY"`), "is not assignable"],
  "a signature for a site in a bucket": [
    copy(`{ bucket: "docs", layout: "site" }`, `, signingKeyEnv: "KEY"`),
    "is not assignable",
  ],
  "a duration in words": [
    `new StaticExport("d", { domain: "docs.example.com", renewBefore: "24 hours" })`,
    `Type '"24 hours"' is not assignable`,
  ],
  "a link's life without a unit": [copy(`{ bucket: "docs", linkLife: "24" }`), "is not assignable"],
  "the domain among the options of the request": [
    `new StaticExport("d", { domain: "docs.example.com", exportOptions: { domain: "other.example.com" } })`,
    "Type 'string' is not assignable to type 'null | undefined'",
  ],
  "a feature that does not exist in the deployment kind": [
    `new SelfHostedDocs("s", { staticExport: docs, chart: "./chart", deploymentKind: "air-gapped", features: { search: true } })`,
    "Type 'true' is not assignable to type 'false'",
  ],
  "an export without a domain": [`new StaticExport("d", { version: "v1" })`, "'domain' is missing"],
  "a tag for a folder": [copy(`{ folder: "public", tag: "v1" }`), "'tag'"],
  "a link's life for a folder": [copy(`{ folder: "public", linkLife: "1h" }`), "'linkLife'"],
  "a deployment kind in other letters": [
    `new SelfHostedDocs("s", { staticExport: docs, chart: "./chart", deploymentKind: "Air-Gapped" })`,
    `Did you mean '"air-gapped"'?`,
  ],
  "an output where a program reads a job at once": [
    `getAgentJob({ projectId: "p1", id: laterText })`,
    "Type 'Output<string>' is not assignable to type 'string'",
  ],
  "a kit without a folder": [`new AirGapKit("k", { source: docs })`, "Property 'folder' is missing"],
  "the destination of a copy for a kit": [
    `new AirGapKit("k", { source: docs, destination: { folder: "kits" } })`,
    "'destination' does not exist",
  ],
  "time limits among the inputs": [
    `new StaticExport("d", { domain: "docs.example.com", customTimeouts: { create: "1h" } })`,
    "'customTimeouts' does not exist",
  ],
  "a link as the source of a copy": [
    `new BundleCopy("c", { source: docs.bundleUrl, destination: { folder: "public" } })`,
    "is not assignable to type 'SourceArgs'",
  ],
  "a limit with its unit": [
    copy(`{ folder: "public" }`, `, limits: { archiveBytes: "10MB" }`),
    "Type 'string' is not assignable to type 'number'",
  ],
  "an option of the search that does not exist": [
    copy(`{ folder: "public", layout: "site" }`, ", offlineSearch: { buton: false }"),
    "'buton' does not exist",
  ],
  "an input that does not exist": [
    `new StaticExport("d", { domain: "docs.example.com", paths: [] })`,
    "'paths' does not exist",
  ],
};

/** Only the preview notices these: the type of a copy does not say where it is, and \`mergeOptions\` returns \`import\`. */
const REFUSED_LATER: Readonly<Record<string, string>> = {
  "pods that need a copy in a folder": `new SelfHostedDocs("s", { staticExport: folderCopy, chart: "./chart", deploymentKind: "client-hosted" })`,
  "the option import": `new StaticExport("d", ${EXPORT}, { import: "docs.example.com/7f3a" })`,
};

const RIGHT: Readonly<Record<string, string>> = {
  "fields of other kinds that are null or undefined": copy(
    `{ bucket: "docs", folder: undefined, base: null }`,
  ),
  "a site with a search": copy(`{ bucket: "docs", layout: "site" }`, ", offlineSearch: true"),
  "an image with a search and a signature": copy(
    `{ repository: "r.example/docs" }`,
    `, offlineSearch: { button: false }, signingKeyEnv: "KEY"`,
  ),
  "an archive that asks for no search": copy(`{ folder: "public" }`, ", offlineSearch: false"),
  "a destination and a layout that are known later": `${copy("later", ", offlineSearch: true")}; ${copy(`{ folder: "public", layout: laterLayout }`, ", offlineSearch: true")}`,
  "a destination that a component passes on": copy("given"),
  "a bucket with a key": copy(`{ bucket: "docs", encryption: "aws:kms", kmsKeyId: laterText }`),
  "durations, also as outputs": `new StaticExport("d", { domain: "docs.example.com", renewBefore: "1h30m", renewalTimeout: laterText })`,
  "features that exist": `new SelfHostedDocs("s", { staticExport: docs, chart: "./chart", deploymentKind: "air-gapped", features: { search: false, apiPlayground: true } })`,
  "a kind that is known when the program runs": `new SelfHostedDocs("s", { staticExport: docs, chart: "./chart", deploymentKind: kind, features: { apiPlayground: true } })`,
  "options of the request": `new StaticExport("d", { domain: laterText, exportOptions: { paths: ["/guide"], locale: laterText } })`,
  "an export, or the fields of one, as a source": `new AirGapKit("k", { source: docs, folder: "kits" }); new AirGapKit("k", { source: { domain: "docs.example.com", jobId: "7", file: undefined }, folder: "kits" })`,
};

const PROGRAM = join(import.meta.dirname, "program.ts");
const HEAD = `
import type * as pulumi from "@pulumi/pulumi";
import { AirGapKit, BundleCopy, type BundleCopyArgs, getAgentJob, StaticExport } from "../../../sdk/index.ts";
import { SelfHostedDocs } from "../../../sdk/kubernetes/index.ts";
declare const docs: StaticExport, folderCopy: BundleCopy, given: BundleCopyArgs["destination"];
declare const laterText: pulumi.Output<string>, laterLayout: pulumi.Output<"archive" | "site">;
declare const later: pulumi.Output<{ folder: string; layout: "site" }>, kind: "client-hosted" | "air-gapped";
`;

/** What the compiler says, by the name of the program. */
let said: ReadonlyMap<string, string>;
beforeAll(() => {
  const programs = [
    ...Object.entries(MISTAKES).map(([name, [program]]) => [name, program] as const),
    ...Object.entries({ ...REFUSED_LATER, ...RIGHT }),
  ];
  const text = HEAD + programs.map(([, program]) => `${program};`).join("\n");
  const config = ts.readConfigFile(join(import.meta.dirname, "../../tsconfig.json"), (path) =>
    ts.sys.readFile(path),
  );
  const { options } = ts.parseJsonConfigFileContent(
    { ...(config.config as object), include: [], files: [] },
    ts.sys,
    join(import.meta.dirname, "../.."),
  );
  const host = ts.createCompilerHost(options);
  const read = host.getSourceFile.bind(host);
  host.getSourceFile = (name, version, ...rest) =>
    name === PROGRAM ? ts.createSourceFile(name, text, version) : read(name, version, ...rest);
  const program = ts.createProgram([PROGRAM], options, host);
  const first = HEAD.split("\n").length - 1;
  const file = program.getSourceFile(PROGRAM);
  const found = new Map<string, string>();
  for (const { start = 0, messageText } of program.getSemanticDiagnostics(file)) {
    const line = (file?.getLineAndCharacterOfPosition(start).line ?? 0) - first;
    const name = programs[line]?.[0] ?? "the head";
    found.set(name, `${found.get(name) ?? ""}${ts.flattenDiagnosticMessageText(messageText, "\n")}\n`);
  }
  said = found;
});

test.each(Object.entries(MISTAKES))("%s does not compile", (name, [, says]) => {
  expect(said.get(name)).toContain(says);
});

test.each(Object.keys({ ...REFUSED_LATER, ...RIGHT }))("%s compiles", (name) => {
  expect(said.get(name)).toBeUndefined();
});
