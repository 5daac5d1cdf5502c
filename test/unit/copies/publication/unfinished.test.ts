// A copy that fails after its publication: it is in the state, and the next run does only the rest.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import nodeFetch from "node-fetch";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { RunCancelledError } from "../../../../provider/base/runtime/messages/errors.ts";
import { systemClock } from "../../../../provider/base/runtime/time/clock.ts";
import { BUNDLE_COPY_INPUTS, type CheckedCopyInputs } from "../../../../provider/copies/bundleCopy/inputs.ts";
import { bundleCopy } from "../../../../provider/copies/bundleCopy/lifeCycle.ts";
import type { BundleCopyState } from "../../../../provider/copies/bundleCopy/state.ts";
import type { PublicationContext } from "../../../../provider/copies/publication/context.ts";
import { checkByTable } from "../../../../provider/resource/inputTable.ts";
import { UnfinishedError } from "../../../../provider/resource/lifeCycle.ts";
import {
  type BucketStub,
  CANARIES,
  startBucketStub,
  STUB_BUCKET,
  stubError,
} from "../../../simulation/bucketStub.ts";
import { MemoryNotes } from "../../../simulation/memoryNotes.ts";
import { packedSite } from "../../../simulation/packedSite.ts";
import { recordingReporter } from "../../../simulation/recordingReporter.ts";
import { testContext, URN } from "../../../simulation/testContext.ts";

let store: BucketStub;
let folder: string;
let reporter: ReturnType<typeof recordingReporter>;
let notes: MemoryNotes;

beforeEach(async (context) => {
  store = await startBucketStub(context);
  folder = mkdtempSync(join(tmpdir(), "unfinished-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  reporter = recordingReporter();
  notes = new MemoryNotes();
  for (const [name, value] of Object.entries(CANARIES)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
});

const context = (signal = new AbortController().signal): PublicationContext =>
  testContext({
    fetch: nodeFetch,
    clock: systemClock,
    reporter,
    signal,
    urn: URN,
    publicationRecords: notes,
    configuration: {
      environment: (name) => (name === "PULUMI_HOME" ? join(folder, "home") : process.env[name]),
      stackConfig: () => undefined,
    },
  });

function inputsOf(version: string, given: object = {}): CheckedCopyInputs {
  const destination = { bucket: STUB_BUCKET, endpoint: store.endpoint, region: "eu-west-1", linkLife: "1h" };
  const { inputs, failures } = checkByTable<CheckedCopyInputs>(
    BUNDLE_COPY_INPUTS,
    { source: { ...packedSite(folder, version, { "index.html": version }), version }, destination, ...given },
    context().configuration,
  );
  expect(failures).toEqual([]);
  return inputs;
}

const keys = (): string[] => [...store.objects.keys()];
/** Without the mark of their owner, and the records of archives. */
const copies = (): string[] =>
  keys().filter((key) => !/^\.docs-hosting\/(?:owner|.*\.tar\.gz)\.json$/.test(key));
const uploads = (): number => store.requests.filter(({ method }) => method === "PUT").length;
const decision = (inputs: CheckedCopyInputs, state: BundleCopyState): string => {
  const { decision: reported, hidden } = bundleCopy.diff(inputs, state, { name: "m", nowMs: Date.now() });
  return `${reported.code} ${hidden ? "hidden" : "seen"}`;
};

async function unfinished(run: Promise<unknown>): Promise<UnfinishedError<BundleCopyState>> {
  const error: unknown = await run.catch((reason: unknown) => reason);
  if (!(error instanceof UnfinishedError)) throw error;
  return error as UnfinishedError<BundleCopyState>;
}

/** The file's signing credentials are gone as soon as the bundle is published. */
function loseCredentials(): void {
  store.rule = ({ method, key }) => {
    if (method === "HEAD" && store.objects.has(key)) {
      vi.stubEnv("AWS_ACCESS_KEY_ID", undefined);
      vi.stubEnv("AWS_CONFIG_FILE", "/nowhere");
      vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", "/nowhere");
      vi.stubEnv("AWS_EC2_METADATA_DISABLED", "true");
    }
    return undefined;
  };
}

function findCredentials(): void {
  store.rule = () => undefined;
  for (const [name, value] of Object.entries(CANARIES)) vi.stubEnv(name, value);
}

describe("a copy whose link cannot be signed", () => {
  test("is in the state of the failed create, and the next up signs it and uploads nothing", async () => {
    const inputs = inputsOf("v1");
    loseCredentials();
    const { state, message } = await unfinished(bundleCopy.create(context(), inputs));
    expect(message).toMatch(/s3:\/\/docs\/\w{64}\.tar\.gz is published and in the state; .* its link/);
    expect(message).not.toContain("Nothing was published");
    expect(state.outputs).not.toHaveProperty("bundleUrl");
    expect(copies()).toEqual([`${state.outputs.sha256}.tar.gz`]);
    findCredentials();
    // a refresh clears Pulumi's init errors
    const refreshed = await bundleCopy.read(context(), state);
    expect(refreshed?.state).toEqual(state);
    expect(decision(inputs, state)).toBe("RESUMED hidden");
    const before = uploads();
    const whole = await bundleCopy.update(context(), state, inputs);
    expect(whole.outputs.bundleUrl).toContain("X-Amz-Signature=");
    expect(uploads()).toBe(before);
    expect(decision(inputs, whole)).toBe("UP_TO_DATE seen");
  });
});

test("Ctrl-C during the removal of earlier copies leaves all of them in the state; the next up removes them", async () => {
  const first = await bundleCopy.create(context(), inputsOf("v1", { keep: 0 }));
  const stop = new AbortController();
  store.rule = ({ method }) => {
    if (method === "DELETE") stop.abort(new RunCancelledError("the run was cancelled", ""));
    return method === "DELETE" ? "hang" : undefined;
  };
  const inputs = inputsOf("v2", { keep: 0 });
  const { state, message } = await unfinished(bundleCopy.update(context(stop.signal), first, inputs));
  expect(message).toMatch(/is published and in the state; still missing: the removal of earlier copies/);
  expect(state.outputs.bundleUrl).toContain("X-Amz-Signature=");
  expect(state.bookkeeping.copies).toHaveLength(2);
  store.rule = () => undefined;
  expect(decision(inputs, state)).toBe("SETTINGS hidden");
  const archives = (): string[] =>
    store.requests.flatMap(({ method, key }) => (method === "PUT" && key.endsWith(".tar.gz") ? [key] : []));
  const before = archives();
  const whole = await bundleCopy.update(context(), state, inputs);
  expect(copies()).toEqual([`${whole.outputs.sha256}.tar.gz`]);
  expect(keys()).toHaveLength(3);
  expect(archives()).toEqual(before);
});

test("a partly published site is in the state; the next up completes it, or a destroy removes it", async () => {
  const destination = { bucket: STUB_BUCKET, endpoint: store.endpoint, region: "eu-west-1", layout: "site" };
  const inputs = inputsOf("v1", { destination });
  store.rule = ({ method, key }) =>
    method === "PUT" && key === "index.html" ? stubError(403, "AccessDenied") : undefined;
  const { state, message } = await unfinished(bundleCopy.create(context(), inputs));
  expect(message).toContain("may be published in part, and is in the state");
  expect(copies()).toEqual([`.docs-hosting/${state.outputs.sha256}.json`]);
  store.rule = () => undefined;
  expect(decision(inputs, state)).toBe("RESUMED hidden");
  const whole = await bundleCopy.update(context(), state, inputs);
  expect(keys()).toContain("index.html");
  expect(decision(inputs, whole)).toBe("UP_TO_DATE seen");
  await bundleCopy.remove(context(), state);
  expect(keys()).toEqual([]);
});

describe("a run that is killed between publication and answer", () => {
  /** A run whose answer never reaches the engine. */
  async function killed(run: Promise<unknown>): Promise<void> {
    await run;
  }

  test("is followed by one that adopts the copy: nothing is uploaded again", async () => {
    const inputs = inputsOf("v1");
    await killed(bundleCopy.create(context(), inputs));
    const archive = copies()[0] ?? "";
    const { etag } = store.objects.get(archive) ?? {};
    const archives = (): unknown[] =>
      store.requests.filter(({ method, key }) => method === "PUT" && key === archive);
    const before = archives().length;
    if (!("file" in inputs.source)) throw new Error("no file");
    rmSync(inputs.source.file); // nor is the bundle needed again
    const state = await bundleCopy.create(context(), inputs);
    expect([archives().length, store.objects.get(archive)?.etag]).toEqual([before, etag]);
    // the mark is that of the owner in the state
    const mark = JSON.parse(String(store.objects.get(".docs-hosting/owner.json")?.body)) as { owner: string };
    expect(mark.owner).toBe(state.bookkeeping.owner);
    expect(reporter.lines.info.at(-1)).toContain("s3://docs is taken over");
    expect(reporter.lines.info.at(-2)).toMatch(/^RESUMED: s3:.* of an interrupted run is complete/);
    expect(state.outputs.bundleUrl).toContain("X-Amz-Signature=");
    notes.operationEnded();
    expect(notes.notes.size).toBe(0);
  });

  test("a record that cannot be written is reported, and stops nothing", async () => {
    notes.diskIsFull = true;
    await bundleCopy.create(context(), inputsOf("v1"));
    expect(reporter.lines.warn).toContain(
      "the copy could not be recorded in Pulumi's home folder (ENOSPC): if this run is killed, the next one publishes it again",
    );
  });
});

test("removing linkLife leaves the address of the copy that needs no signature", async () => {
  const inputs = inputsOf("v1");
  const signed = await bundleCopy.create(context(), inputs);
  expect(signed.outputs.bundleUrl).toContain("X-Amz-Signature=");
  const destination = { ...inputs.destination, linkLife: undefined };
  const open = inputsOf("v1", { destination });
  const { outputs } = await bundleCopy.update(context(), signed, open);
  expect(outputs.bundleUrl).toBe(`${store.endpoint}/docs/${outputs.sha256}.tar.gz`);
  expect([outputs.expiresAt, outputs.renewAfter]).toEqual([undefined, undefined]);
});
