// A preview may not know any part of any input. Every resource answers it, with any unknown part.
import { generateKeyPairSync } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { dynamicHost } from "../../../../provider/adapters/dynamic/dynamicHost.ts";
import {
  type DynamicProvider,
  dynamicProvider,
} from "../../../../provider/adapters/dynamic/dynamicProvider.ts";
import { publications } from "../../../../provider/adapters/session/publications.ts";
import { Session } from "../../../../provider/adapters/session/session.ts";
import { agentJob } from "../../../../provider/agentJob/lifeCycle.ts";
import { bundleCopy } from "../../../../provider/copies/bundleCopy/lifeCycle.ts";
import { airGapKit } from "../../../../provider/kits/airGapKit/lifeCycle.ts";
import type { LifeCycle, StoredState } from "../../../../provider/resource/lifeCycle.ts";
import { staticExport } from "../../../../provider/staticExport/lifeCycle.ts";
import { recordingReporter } from "../../../simulation/recordingReporter.ts";
import { KEY, URN } from "../../../simulation/testContext.ts";

/** The engine's values for an unknown string, boolean, number, list, asset, archive and object. */
const SENTINELS = [
  "04da6b54-80e4-46f7-96ec-b56ff0331ba9",
  "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
  "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
  "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
  "030794c1-ac77-496b-92df-f27374a8bd58",
  "e48ece36-62e2-4504-bad9-02848725956a",
  "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
];
const SHA256 = "a".repeat(64);
const SERVICE = { baseUrl: "https://api.example.com", apiKeyEnv: "DOCS_HOSTING_ADMIN_API_KEY" };
const SOURCE = { domain: "docs.example.com", jobId: "j1", version: "v1", ...SERVICE };
const DEMANDS = {
  requireSelfContained: false,
  limits: { archiveBytes: 1_000, unpackedBytes: 10_000, files: 10 },
  keep: 1,
};
const BUNDLE = { version: "v1", jobId: "j1", size: 9, files: 9, pages: 3, selfContained: false };
const COPY = { sha256: SHA256, uri: "s3://docs/v1", parts: {} };
const COPIES = { copies: [{ copy: COPY, bundle: { ...BUNDLE, sha256: SHA256, externalLoads: [] } }] };
const KIT = { name: "v1-0", sha256: SHA256, list: { file: "SHA256SUMS", sha256: SHA256 }, size: 9, files: 9 };

let folder: string;
let printed: string[];
let session: Session;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "unknown-inputs-"));
  writeFileSync(join(folder, "bundle.tar.gz"), "not unpacked here");
  mkdirSync(join(folder, "chart"));
  writeFileSync(join(folder, "chart/Chart.yaml"), "name: docs\nversion: 1.0.0\n");
});

afterAll(() => rmSync(folder, { recursive: true }));

beforeEach(() => {
  vi.stubEnv("DOCS_HOSTING_ADMIN_API_KEY", KEY);
  const { privateKey } = generateKeyPairSync("ed25519");
  vi.stubEnv("KIT_KEY", privateKey.export({ type: "pkcs8", format: "pem" }).toString());
  printed = [];
  const reporter = recordingReporter();
  const print = (line: string): void => void printed.push(line);
  const printing = { ...reporter, info: print, warn: print, debug: print, close: () => undefined };
  session = new Session({ ...dynamicHost, reporter: () => printing }, publications(dynamicHost));
});

afterEach(() => {
  vi.unstubAllEnvs();
});

/** Valid inputs, and the stored values beside them after a first `up`. */
interface Sample extends Resource {
  readonly inputs: () => object;
  readonly outputs: object;
  readonly bookkeeping: object;
}

interface Resource {
  readonly provider: () => DynamicProvider;
  /** The outputs in a preview of the native plugin. */
  readonly predict: (inputs: object, state?: StoredState) => object;
}

const resource = <Inputs extends object, State extends StoredState>(
  lifeCycle: LifeCycle<Inputs, State>,
): Resource => ({
  provider: () => dynamicProvider(() => lifeCycle, session),
  predict: (inputs, state) =>
    lifeCycle.predict(inputs as Inputs, state as State | undefined, session.machine),
});

const visibleOf = (properties: object): object =>
  Object.fromEntries(Object.entries(properties).filter(([name]) => !name.startsWith("__")));

const copyTo = (destination: object, others: object = {}): Sample => ({
  ...resource(bundleCopy),
  inputs: () => ({ source: SOURCE, destination, sha256: SHA256, ...DEMANDS, ...others }),
  outputs: { ...BUNDLE, uri: "s3://docs/v1" },
  bookkeeping: COPIES,
});
const SAMPLES: Readonly<Record<string, Sample>> = {
  StaticExport: {
    ...resource(staticExport),
    inputs: () => ({
      domain: "docs.example.com",
      version: "v1",
      triggers: ["a", { b: [1, "c"] }],
      exportOptions: { languages: ["en"], deep: { er: true } },
      renewBefore: "1h",
      renewalTimeout: "5m",
      ...SERVICE,
    }),
    outputs: {
      jobId: "j1",
      status: "completed",
      bundleUrl: "https://store.example.com/b?sig=1",
      expiresAt: "2026-01-02T00:00:00.000Z",
      renewAfter: "2026-01-01T16:00:00.000Z",
    },
    bookkeeping: { given: ["version"], mintedAtMs: 0 },
  },
  AgentJob: {
    ...resource(agentJob),
    inputs: () => ({ projectId: "p", jobId: "j", acceptFailed: true, ...SERVICE }),
    outputs: { status: "completed" },
    bookkeeping: {},
  },
  "BundleCopy to a folder": copyTo(
    { folder: "./copies", layout: "site" },
    { offlineSearch: { button: false, shortcuts: true, openFrom: [".find"], exclude: ["old/**"] } },
  ),
  "BundleCopy to a bucket": copyTo({
    bucket: "docs",
    prefix: "a",
    endpoint: "https://s3.example.com",
    region: "eu-west-1",
    layout: "archive",
    linkLife: "24h",
  }),
  "BundleCopy to a repository": copyTo({
    repository: "registry.internal/docs/site",
    tag: "latest",
    base: "registry.internal/nginx:1",
    plainHttp: false,
  }),
  AirGapKit: {
    ...resource(airGapKit),
    inputs: () => ({
      source: {
        file: join(folder, "bundle.tar.gz"),
        version: "v1",
        domain: "docs.example.com",
        fileSha256: SHA256,
      },
      folder: join(folder, "kits"),
      chart: { path: join(folder, "chart"), digest: "1" },
      images: ["nginx:1", "busybox:1"],
      platforms: ["linux/amd64"],
      values: { site: { replicas: 2, hosts: ["a"] } },
      signingKeyEnv: "KIT_KEY",
      partSize: 2 ** 20,
      offlineSearch: true,
      ...DEMANDS,
    }),
    outputs: { ...BUNDLE, path: join("kits", "v1-0"), bundleSha256: SHA256 },
    bookkeeping: { kits: [{ kit: KIT, bundle: BUNDLE }] },
  },
};

type Path = readonly (string | number)[];

/** Each path in a value, without the value itself. */
function pathsIn(value: unknown, at: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) => {
    const path = [...at, name];
    return [path, ...pathsIn(each, path)];
  });
}

/** The value with others at these paths. */
function replaced(value: unknown, changes: readonly (readonly [Path, string])[]): unknown {
  const copy = structuredClone(value);
  // the deepest first: parts of an unknown value are unknown with it
  for (const [path, other] of [...changes].sort(([a], [b]) => b.length - a.length)) {
    const parent = path.slice(0, -1).reduce((at, name) => (at as Record<string, unknown>)[name], copy);
    (parent as Record<string, unknown>)[String(path.at(-1))] = other;
  }
  return copy;
}

test.each(Object.keys(SAMPLES))(
  "a %s is checked, compared and predicted, also if any part of it is unknown",
  async (name) => {
    const sample = SAMPLES[name];
    if (!sample) throw new Error("no sample");
    const { provider, outputs, bookkeeping } = sample;
    const inputs = { ...sample.inputs(), __timeouts: { create: "1h" }, __urn: URN };
    const olds = { ...inputs, ...outputs, __bookkeeping: bookkeeping };
    expect((await provider().check({}, inputs)).failures).toEqual([]);
    const paths = pathsIn(inputs);
    const unknowns = fc
      .subarray(paths)
      .chain((chosen) =>
        fc
          .array(fc.constantFrom(...SENTINELS), { minLength: chosen.length, maxLength: chosen.length })
          .map((sentinels) => chosen.map((path, index) => [path, sentinels[index] ?? ""] as const)),
      );
    const property = fc.asyncProperty(unknowns, async (changes) => {
      printed = [];
      const news = replaced(inputs, changes) as Record<string, unknown>;
      const created = await provider().check({}, news);
      expect(created.failures).toEqual([]);
      const checked = await provider().check(olds, news);
      expect(checked.failures).toEqual([]);
      for (const [path, sentinel] of changes) {
        // an unknown value stays unknown, so that the preview shows it
        if (path.length === 1) expect(checked.inputs[String(path[0])]).toBe(sentinel);
      }
      const diff = await provider().diff("id", olds, checked.inputs);
      // the engine previews a replacement as a create
      const state = diff.replaces?.length
        ? undefined
        : { outputs: { ...sample.inputs(), ...outputs }, bookkeeping };
      for (const [given, before] of [
        [created.inputs, undefined],
        [checked.inputs, state],
      ] as const) {
        const visible = visibleOf(given);
        const names = Object.keys(visible);
        expect(Object.keys(sample.predict(visible, before))).toEqual(expect.arrayContaining(names));
      }
      // some fields below an input have no effect: a file's path where its digest is known
      const isVisible = changes.some(([path]) => path.length === 1 && !String(path[0]).startsWith("__"));
      if (isVisible) expect(diff.changes).not.toBe(false);
      const output = printed.join("\n");
      for (const hidden of [KEY, ...SENTINELS]) expect(output).not.toContain(hidden);
    });
    await fc.assert(property, { numRuns: 150 });
  },
);
