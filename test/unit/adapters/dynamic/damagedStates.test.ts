// States that were cut, edited or written by something else: every call that reads one says what to do.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { dynamicHost } from "../../../../provider/adapters/dynamic/dynamicHost.ts";
import { dynamicProvider } from "../../../../provider/adapters/dynamic/dynamicProvider.ts";
import { publications } from "../../../../provider/adapters/session/publications.ts";
import { Session } from "../../../../provider/adapters/session/session.ts";
import { agentJob } from "../../../../provider/agentJob/lifeCycle.ts";
import { bundleCopy } from "../../../../provider/copies/bundleCopy/lifeCycle.ts";
import { airGapKit } from "../../../../provider/kits/airGapKit/lifeCycle.ts";
import type { LifeCycle, StoredState } from "../../../../provider/resource/lifeCycle.ts";
import { staticExport } from "../../../../provider/staticExport/lifeCycle.ts";
import { recordingReporter } from "../../../simulation/recordingReporter.ts";

type Properties = Record<string, unknown>;

vi.mock("../../../../provider/adapters/dynamic/unsentReply.ts", () => ({
  exitIfReplyIsNotSent: () => undefined,
}));

const BASE_URL = "https://api.example.test";
const SERVICE = { baseUrl: BASE_URL, apiKeyEnv: "DOCS_HOSTING_ADMIN_API_KEY" };
const SOURCE = { file: "bundle.tar.gz", version: "v1", fileSha256: "0".repeat(64) };
const LIMITS = { archiveBytes: 1_000, unpackedBytes: 1_000, files: 10 };
const BUNDLE = {
  version: "v1",
  sha256: "1".repeat(64),
  size: 1,
  files: 1,
  pages: 1,
  selfContained: true,
  externalLoads: [],
  copiedAt: "2026-01-01T00:00:00.000Z",
};

let folder: string;
let session: Session;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "damaged-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  session = new Session(
    {
      ...dynamicHost,
      environment: (name) =>
        name === "PULUMI_HOME"
          ? join(folder, "home")
          : name === "DOCS_HOSTING_ADMIN_API_KEY"
            ? "svc_c4n4ry"
            : undefined,
      fetch: () => Promise.resolve(new Response("{}", { status: 401 })) as never,
      reporter: () => ({ ...recordingReporter(), close: () => undefined }),
      watchEngine: () => undefined,
      watchForCancel: () => undefined,
    },
    publications(dynamicHost),
  );
});

const EXPORT = { ...SERVICE, domain: "docs.example.com" };
const RESOURCES: Readonly<
  Record<string, { life: unknown; inputs: () => Properties; stored: () => Properties }>
> = {
  StaticExport: {
    life: staticExport,
    inputs: () => EXPORT,
    stored: () => ({
      ...EXPORT,
      version: "j1",
      jobId: "j1",
      status: "completed",
      bundleUrl: "https://store.example.test/a",
      bundleSize: 1,
      expiresAt: "2026-01-02T00:00:00.000Z",
      renewAfter: "2026-01-01T12:00:00.000Z",
      __bookkeeping: { given: [], mintedAtMs: 1 },
    }),
  },
  AgentJob: {
    life: agentJob,
    inputs: () => ({ ...SERVICE, projectId: "p1", jobId: "a1" }),
    stored: () => ({
      ...SERVICE,
      projectId: "p1",
      id: "a1",
      status: "completed",
      model: "m",
      prLink: null,
      createdAt: "",
      archivedAt: null,
      source: { repository: "https://example.test/r", ref: null },
      __bookkeeping: {},
    }),
  },
  BundleCopy: {
    life: bundleCopy,
    inputs: () => copyInputs(),
    stored: () => ({
      ...copyInputs(),
      ...BUNDLE,
      uri: `file://${folder}/copies/1`,
      earlier: [],
      __bookkeeping: {
        copies: [{ copy: { uri: `file://${folder}/copies/1`, sha256: BUNDLE.sha256 }, bundle: BUNDLE }],
      },
    }),
  },
  AirGapKit: {
    life: airGapKit,
    inputs: () => kitInputs(),
    stored: () => ({
      ...kitInputs(),
      ...BUNDLE,
      uri: `file://${folder}/kits/1`,
      __bookkeeping: { kits: [{}], copies: [{}] },
    }),
  },
};
const copyInputs = (): Properties => ({
  source: SOURCE,
  destination: { folder: join(folder, "copies"), layout: "archive" },
  keep: 1,
  limits: LIMITS,
  requireSelfContained: true,
});
const kitInputs = (): Properties => ({
  source: SOURCE,
  folder: join(folder, "kits"),
  chart: "./chart",
  platforms: ["linux/amd64"],
  keep: 1,
  limits: LIMITS,
  requireSelfContained: true,
});

const WRONG: Readonly<Record<string, unknown>> = {
  null: null,
  text: "x",
  number: 7,
  "empty list": [],
  "empty object": {},
};
const DAMAGES: Readonly<Record<string, (stored: Properties) => Properties>> = {
  "nothing but its bookkeeping": ({ __bookkeeping }) => ({ __bookkeeping }),
  "no outputs and an empty bookkeeping": () => ({ __bookkeeping: {} }),
  ...Object.fromEntries(
    Object.entries(WRONG).flatMap(([what, value]): [string, (stored: Properties) => Properties][] => [
      [`${what} as bookkeeping`, (stored) => ({ ...stored, __bookkeeping: value })],
      [`${what} in place of each output`, (stored) => replaced(stored, value)],
      [
        `${what} in place of each field of its bookkeeping`,
        (stored) => ({ ...stored, __bookkeeping: replaced(stored["__bookkeeping"] as Properties, value) }),
      ],
    ]),
  ),
};
const replaced = (fields: Properties, value: unknown): Properties =>
  Object.fromEntries(
    Object.entries(fields).map(([name, own]) => [name, name.startsWith("__") ? own : value]),
  );

const URN = "urn:pulumi:test::docs::pulumi-nodejs:dynamic/docs-hosting:X::docs";
const CALLS = ["diff", "read", "update", "delete"] as const;

test.each(
  Object.keys(RESOURCES).flatMap((type) => Object.keys(DAMAGES).map((damage) => [type, damage] as const)),
)("%s with %s: no call ends with an error of the language", async (type, damage) => {
  const { life, inputs, stored } = RESOURCES[type] ?? {
    life: undefined,
    inputs: () => ({}),
    stored: () => ({}),
  };
  const provider = dynamicProvider(() => life as LifeCycle<object, StoredState>, session);
  const olds = { ...DAMAGES[damage]?.(stored()), __urn: URN, __provider: "x" };
  const news = { ...inputs(), __urn: URN, __provider: "x" };
  for (const call of CALLS) {
    const run = {
      diff: () => provider.diff("id", olds, news),
      read: () => provider.read("id", olds),
      update: () => provider.update("id", olds, news),
      delete: () => provider.delete("id", olds),
    }[call];
    const failure: unknown = await run().then(
      () => undefined,
      (error: unknown) => error,
    );
    const message = failure === undefined ? "" : String((failure as { message?: unknown }).message);

    expect({ call, message }).not.toEqual({
      call,
      message: expect.stringMatching(
        /Cannot |undefined|is not (?:a function|iterable|an object)|internal error|reading '|Invalid (?:URL|time)|must be of type|\[object/,
      ) as string,
    });
    if (message.includes("stored state")) {
      expect(message).toMatch(/^docs: .*pulumi stack import.*pulumi state delete/);
    }
  }
});
