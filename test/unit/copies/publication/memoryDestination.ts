// A destination in memory, for the operations of copies.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, vi } from "vitest";
import { DestinationError } from "../../../../provider/base/runtime/messages/errors.ts";
import { noTracer } from "../../../../provider/base/runtime/tracing/tracer.ts";
import { COPIES } from "../../../../provider/copies/bundleCopy/copyKind.ts";
import { BUNDLE_COPY_INPUTS, type CheckedCopyInputs } from "../../../../provider/copies/bundleCopy/inputs.ts";
import { reasonToSign } from "../../../../provider/copies/bundleCopy/links.ts";
import type { BundleCopyState, MadeCopy } from "../../../../provider/copies/bundleCopy/state.ts";
import type { PublicationContext } from "../../../../provider/copies/publication/context.ts";
import { publishedLifeCycle } from "../../../../provider/copies/publication/lifeCycle.ts";
import type {
  OwnedContext,
  PublicationDestination,
  PublicationKind,
  PublicationLinks,
} from "../../../../provider/copies/publication/publicationKind.ts";
import { checkByTable } from "../../../../provider/resource/inputTable.ts";
import { UnfinishedError } from "../../../../provider/resource/lifeCycle.ts";
import { MemoryNotes } from "../../../simulation/memoryNotes.ts";
import { packedSite } from "../../../simulation/packedSite.ts";
import { recordingReporter } from "../../../simulation/recordingReporter.ts";
import { testContext, URN } from "../../../simulation/testContext.ts";
import { VirtualClock } from "../../../simulation/virtualClock.ts";

interface CopyTypes {
  inputs: CheckedCopyInputs;
  item: MadeCopy;
  state: BundleCopyState;
}
type Place = PublicationDestination<MadeCopy>;

export let folder: string;
export let clock: VirtualClock;
export let reporter: ReturnType<typeof recordingReporter>;
export let notes: MemoryNotes;
export let noted: object[];
/** The addresses of the copies at the destination, and the number of publications. */
export let place: Set<string>;
/** The owners who have marked each copy. */
export let marks: Map<string, Set<string>>;
export let publications: number;
/** Sets what happens when a copy is published, before the operation knows it. */
export const onPlacing = (run: () => void): void => void (afterPlacing = run);
/** Called when a copy is published, before the operation knows it. */
let afterPlacing: () => void;

/** The error of a store that is away. */
export const failure = (): DestinationError => new DestinationError("the store is away", "Start it.");
export const link = vi.fn<PublicationLinks<CopyTypes>["sign"]>();
export const compare = vi.fn<Place["compare"]>();
export const claim = vi.fn<Place["claim"]>();
export const check = vi.fn<Place["check"]>();
export const prune = vi.fn<Place["prune"]>();
export const release = vi.fn<Place["release"]>();
const ownersOf = ({ copy }: MadeCopy): Set<string> => {
  const owners = marks.get(copy.uri) ?? new Set<string>();
  marks.set(copy.uri, owners);
  return owners;
};

const KIND: PublicationKind<CopyTypes> = {
  ...COPIES,
  destinationOf: (inputs) => ({
    ...COPIES.destinationOf(inputs),
    prepare: (operation) => (checked, placing) => {
      const { version, sha256, size } = checked.bundle;
      const item: MadeCopy = {
        copy: { sha256, uri: `s3://docs/${version}`, parts: {} },
        bundle: { ...checked.inspection, version, sha256, size, copiedAt: "2026-01-01T00:00:00.000Z" },
      };
      publications++;
      place.add(item.copy.uri);
      placing(item);
      ownersOf(item).add(operation.owner.id);
      afterPlacing();
      return Promise.resolve(item);
    },
    compare,
    check,
    claim,
    prune,
    release,
  }),
  links: { reasonToSign, sign: link },
};
export const copies = publishedLifeCycle(KIND);

/** Makes the destination empty before each test. */
export function useMemoryDestination(): void {
  beforeEach(reset);
}

function reset(): void {
  folder = mkdtempSync(join(tmpdir(), "converge-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  clock = new VirtualClock("2026-01-01T00:00:00.000Z");
  reporter = recordingReporter();
  notes = new MemoryNotes();
  noted = [];
  place = new Set();
  marks = new Map();
  publications = 0;
  afterPlacing = () => undefined;
  let links = 0;
  link.mockReset().mockImplementation(() => {
    const life = { expiresAt: "2026-01-02T00:00:00.000Z", renewAfter: "2026-01-01T16:00:00.000Z" };
    return Promise.resolve({ bundleUrl: `https://store.example/${++links}`, ...life });
  });
  compare
    .mockReset()
    .mockImplementation((_context, { copy }) => Promise.resolve(place.has(copy.uri) ? "same" : "gone"));
  check.mockReset().mockResolvedValue();
  claim.mockReset().mockImplementation(({ owner }, made) => {
    for (const each of made) if (place.has(each.copy.uri)) ownersOf(each).add(owner.id);
    return Promise.resolve();
  });
  const removed = ({ owner }: OwnedContext, gone: readonly MadeCopy[]): Promise<void> => {
    for (const each of gone) {
      const owners = ownersOf(each);
      owners.delete(owner.id);
      if (owners.size === 0) place.delete(each.copy.uri);
    }
    return Promise.resolve();
  };
  prune.mockReset().mockImplementation(removed);
  release.mockReset().mockImplementation(removed);
}

export const context = (given: Partial<PublicationContext> = {}): PublicationContext =>
  testContext({
    fetch: () => Promise.reject(new Error("no request is expected")),
    clock,
    reporter,
    urn: URN,
    publicationRecords: notes,
    tracer: { ...noTracer, note: (attributes) => void noted.push(attributes) },
    configuration: {
      environment: (name) => (name === "PULUMI_HOME" ? join(folder, "home") : undefined),
      stackConfig: () => undefined,
    },
    ...given,
  });

export function inputsOf(version: string, given: object = {}): CheckedCopyInputs {
  const { file } = packedSite(folder, version, { "index.html": version });
  const destination = { bucket: "docs", linkLife: "24h" };
  const { inputs, failures } = checkByTable<CheckedCopyInputs>(
    BUNDLE_COPY_INPUTS,
    { source: { file, version }, destination, ...given },
    context().configuration,
  );
  expect(failures).toEqual([]);
  return inputs;
}

export const versions = ({ bookkeeping }: BundleCopyState): string[] =>
  bookkeeping.copies.map(({ bundle }) => bundle.version);

export async function unfinished(run: Promise<unknown>): Promise<UnfinishedError<BundleCopyState>> {
  const error: unknown = await run.catch((reason: unknown) => reason);
  if (!(error instanceof UnfinishedError)) throw error;
  return error as UnfinishedError<BundleCopyState>;
}
