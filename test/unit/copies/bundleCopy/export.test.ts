// Copies of an export: the service and the store are real servers on this machine.
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import nodeFetch from "node-fetch";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../../../provider/base/runtime/time/clock.ts";
import { BUNDLE_COPY_INPUTS, type CheckedCopyInputs } from "../../../../provider/copies/bundleCopy/inputs.ts";
import { bundleCopy } from "../../../../provider/copies/bundleCopy/lifeCycle.ts";
import type { BundleCopyState } from "../../../../provider/copies/bundleCopy/state.ts";
import type { PublicationContext } from "../../../../provider/copies/publication/context.ts";
import { RECORDS_FOLDER as MARKS_FOLDER } from "../../../../provider/publishing/ownership/placeMark.ts";
import { checkByTable } from "../../../../provider/resource/inputTable.ts";
import { packedSite } from "../../../simulation/packedSite.ts";
import { RecordedSpans } from "../../../simulation/recordedSpans.ts";
import { recordingReporter } from "../../../simulation/recordingReporter.ts";
import { KEY, testContext, URN } from "../../../simulation/testContext.ts";

let folder: string;
let server: Server;
let url: string;
let bundle: Buffer;
/** The sites that the service reports with the status of the job, and with its link. */
let named: { status?: string; link?: string };
/** The answer in place of a link. */
let refusal: { status: number; body: object } | undefined;
let asked: { call: string; range: string | undefined; authorization: string | undefined }[];
let reporter: ReturnType<typeof recordingReporter>;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "copied-export-"));
  reporter = recordingReporter();
  asked = [];
  refusal = undefined;
  named = {};
  bundle = packed({ "index.html": "<h1>Docs</h1>" });
  server = createServer((request: IncomingMessage, response) => {
    const { method = "", url: path = "", headers } = request;
    asked.push({
      call: `${method} ${path.split("?")[0] ?? ""}`,
      range: headers.range,
      authorization: headers.authorization,
    });
    if (path !== "/store?sig=x") {
      const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
      const answer =
        method === "GET"
          ? { status: "completed", domain: named.status }
          : { bundleUrl: `${url}/store?sig=x`, expiresAt, domain: named.link };
      const { status, body } = (method === "POST" ? refusal : undefined) ?? { status: 200, body: answer };
      return response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    }
    const from = Number(/^bytes=(\d+)-$/.exec(headers.range ?? "")?.[1] ?? 0);
    if (from >= bundle.length) {
      return response.writeHead(416, { "content-range": `bytes */${bundle.length}` }).end();
    }
    return response.writeHead(200, { etag: '"1"', "content-length": bundle.length }).end(bundle);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(() => {
  server.close();
  server.closeAllConnections();
  rmSync(folder, { recursive: true });
});

const packed = (files: Readonly<Record<string, string>>): Buffer =>
  readFileSync(packedSite(mkdtempSync(join(folder, "packed-")), "bundle", files).file);

const context = (): PublicationContext =>
  testContext({
    fetch: nodeFetch,
    clock: systemClock,
    reporter,
    urn: URN,
    configuration: {
      environment: (name) =>
        ({ PULUMI_HOME: join(folder, "home"), DOCS_HOSTING_BASE_URL: url, DOCS_HOSTING_ADMIN_API_KEY: KEY })[
          name
        ],
      stackConfig: () => undefined,
    },
  });

function inputs(given: object = {}): CheckedCopyInputs {
  const { inputs: checked, failures } = checkByTable<CheckedCopyInputs>(
    BUNDLE_COPY_INPUTS,
    {
      source: { domain: "docs.example.com", jobId: "j1", version: "v1" },
      destination: { folder: join(folder, "copies") },
      ...given,
    },
    context().configuration,
  );
  expect(failures).toEqual([]);
  return checked;
}

const left = (name: string): string[] => {
  const path = join(folder, "home/docs-hosting", name);
  return existsSync(path) ? readdirSync(path) : [];
};
const POLL = "GET /v1/static-export/jobs/j1";
const MINT = "POST /v1/static-export/jobs/j1/bundle";
const shaOf = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");

describe("the bundle of an export", () => {
  test("has a span for each step, with figures, and without key or link", async () => {
    const recorded = new RecordedSpans(systemClock);
    const { outputs } = await recorded.operation((tracer) =>
      bundleCopy.create({ ...context(), tracer }, inputs()),
    );
    expect(recorded.outline).toEqual([
      "docs_hosting.create",
      "  docs_hosting.bundle_copy",
      "    docs_hosting.bundle.download",
      "      GET",
      "      docs_hosting.link.mint",
      "        POST",
      "    docs_hosting.bundle.inspect",
      "    docs_hosting.bundle.publish",
    ]);
    const about = {
      "pulumi.urn": URN,
      "docs_hosting.domain": "docs.example.com",
      "docs_hosting.job.id": "j1",
      "docs_hosting.decision": "NEW",
    };
    expect(recorded.tree.attributes).toEqual(about);
    const attributesOf = (name: string): unknown => recorded.named(`docs_hosting.${name}`).attributes;
    expect(attributesOf("bundle_copy")).toEqual({
      ...about,
      "docs_hosting.destination": join(folder, "copies"),
    });
    expect(attributesOf("bundle.download")).toEqual({
      ...about,
      "docs_hosting.bundle.sha256": outputs.sha256,
      "docs_hosting.bundle.size": outputs.size,
    });
    expect(attributesOf("bundle.inspect")).toEqual({ ...about, "docs_hosting.bundle.files": 1 });
    expect(attributesOf("bundle.publish")).toEqual(about);
    expect(JSON.stringify(recorded.tree)).not.toMatch(/svc_|sig=|\/store/);
  });

  test("is fetched by its own link; the store gets no key; no file is left on this machine", async () => {
    const { outputs } = await bundleCopy.create(context(), inputs());
    expect(asked).toEqual([
      { call: POLL, range: undefined, authorization: `Bearer ${KEY}` },
      { call: MINT, range: undefined, authorization: `Bearer ${KEY}` },
      { call: "GET /store", range: undefined, authorization: undefined },
    ]);
    expect(outputs).toMatchObject({ jobId: "j1", version: "v1", sha256: shaOf(bundle), size: bundle.length });
    expect(readFileSync(outputs.uri)).toEqual(bundle);
    expect([left("downloads"), left("scratch")]).toEqual([[], []]);
    expect(reporter.lines.info).toEqual([
      `NEW: job j1 of docs.example.com is copied to ${join(folder, "copies")}`,
    ]);
    expect(reporter.lines.progress).toContain(`inspecting ${bundle.length} B`);
  });

  test("stays where its copy failed, and is not fetched again then", async () => {
    writeFileSync(join(folder, "copies"), "a file");
    await expect(bundleCopy.create(context(), inputs())).rejects.toThrow(
      /^job j1 of docs\.example\.com to .*copies: the folder .* cannot be used: EEXIST.* Nothing was published\. A part of that path is a file/,
    );
    expect(left("downloads")).toHaveLength(1);
    rmSync(join(folder, "copies"));
    asked = [];
    const { outputs } = await bundleCopy.create(context(), inputs());
    expect(asked.map(({ call, range }) => [call, range])).toEqual([
      [POLL, undefined],
      [MINT, undefined],
      ["GET /store", `bytes=${bundle.length}-`],
    ]);
    expect(readFileSync(outputs.uri)).toEqual(bundle);
    expect(left("downloads")).toEqual([]);
  });

  test.each([
    ["is no archive", () => Buffer.from("<html>Log in</html>")],
    ["has no start page", () => packed({ "a.html": "x" })],
    ["is larger than its limit", () => Buffer.alloc(2_000_000, 1)],
  ])("that %s is not kept", async (_, broken) => {
    bundle = broken();
    const limits = { archiveBytes: 1_000_000 };
    await expect(bundleCopy.create(context(), inputs({ limits }))).rejects.toThrow(/Nothing was published/);
    expect(left("downloads")).toEqual([]);
    expect(existsSync(join(folder, "copies"))).toBe(false);
  });

  test.each([
    ["the status of the job", () => ({ status: "Other.example.com" }), [POLL]],
    ["the link", () => ({ link: "other.example.com" }), [POLL, MINT]],
  ])("is not fetched where %s names another site", async (_, naming, calls) => {
    named = naming();
    await expect(bundleCopy.create(context(), inputs())).rejects.toThrow(
      "job j1 is an export of other.example.com, not of docs.example.com. Nothing was published. " +
        "Give the jobId of an export of docs.example.com, or declare the domain other.example.com.",
    );
    expect(asked.map(({ call }) => call)).toEqual(calls);
    expect(existsSync(join(folder, "copies"))).toBe(false);
  });

  test("of a missing job is an error, and the existing copy stays", async () => {
    const state = await bundleCopy.create(context(), inputs());
    refusal = { status: 404, body: { error: "no such job" } };
    const next = inputs({ source: { domain: "docs.example.com", jobId: "j1", version: "v2" } });
    await expect(bundleCopy.update(context(), state, next)).rejects.toThrow(
      new RegExp(`answered 404.*${state.outputs.uri} stays as it is`),
    );
    expect(readdirSync(join(folder, "copies"))).toEqual([MARKS_FOLDER, `${shaOf(bundle)}.tar.gz`]);
  });
});

describe("an earlier copy that cannot be removed", () => {
  /** Two contents one after the other. A folder is in the place of the record of the first one. */
  async function blocked(): Promise<{ state: BundleCopyState; inTheWay: string }> {
    const first = await bundleCopy.create(context(), inputs({ keep: 0 }));
    const inTheWay = join(folder, "copies", MARKS_FOLDER, `${basename(first.outputs.uri)}.json`);
    rmSync(inTheWay);
    mkdirSync(inTheWay);
    bundle = packed({ "index.html": "another" });
    const next = inputs({ source: { domain: "docs.example.com", jobId: "j1", version: "v2" }, keep: 0 });
    return { state: await bundleCopy.update(context(), first, next), inTheWay };
  }

  test("fails a destroy, which says what can be done", async () => {
    const { state } = await blocked();
    await expect(bundleCopy.remove(context(), state)).rejects.toThrow(/stay in the state; .*retainOnDelete/);
  });
});

test("a failed refresh leaves the state as it was", async () => {
  const state = await bundleCopy.create(context(), inputs());
  rmSync(state.outputs.uri);
  mkdirSync(state.outputs.uri);
  await expect(bundleCopy.read(context(), state)).rejects.toThrow(/is a folder.*The state is unchanged/);
  const none = { ...state, bookkeeping: bundleCopy.noBookkeeping };
  expect((await bundleCopy.read(context(), none))?.state).toEqual(none);
  await bundleCopy.remove(context(), none);
});
