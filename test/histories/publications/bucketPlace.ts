import { createHash } from "node:crypto";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { ClientRequest } from "node:http";
import { basename } from "node:path";
import fetch from "node-fetch";
import { onTestFinished, type TestContext, vi } from "vitest";
import type { Fetch } from "../../../provider/base/http/attempt.ts";
import { azureError, startAzureStub, STUB_ACCOUNT, STUB_ACCOUNT_KEY } from "../../simulation/azureStub.ts";
import {
  type BucketStub,
  CANARIES,
  startBucketStub,
  STUB_BUCKET,
  type StubAnswer,
  stubError,
  type StubFault,
  type StubRequest,
} from "../../simulation/bucketStub.ts";
import { gcsError, startGcsStub } from "../../simulation/gcsStub.ts";
import type { Content } from "./contents.ts";
import { type FaultKind, Past } from "./faults.ts";
import { Operation } from "./operation.ts";
import type { Place, Spot } from "./place.ts";

type Bucket = { readonly endpoint: string; readonly prefix?: string; readonly layout: string };

const noFetch: Fetch = () => Promise.reject(new Error("nothing is fetched"));

/** A protocol of buckets. */
export interface BucketKind {
  readonly start: (context: Pick<TestContext, "onTestFinished">) => Promise<BucketStub>;
  /** The fields of a destination that name the bucket, besides its endpoint. */
  readonly fields: Readonly<Record<string, string>>;
  readonly refused: StubAnswer;
  readonly busy: StubAnswer;
  /** Whether a request removes several objects. */
  readonly isRemoval: (request: StubRequest) => boolean;
  readonly fetch: Fetch;
  readonly environment: Readonly<Record<string, string>>;
}

export const S3_KIND: BucketKind = {
  start: startBucketStub,
  fields: { bucket: STUB_BUCKET, region: "eu-west-1" },
  refused: stubError(403, "AccessDenied"),
  busy: stubError(503, "SlowDown"),
  isRemoval: ({ query }) => query.has("delete"),
  fetch: noFetch,
  environment: {},
};

export const AZURE_KIND: BucketKind = {
  start: startAzureStub,
  fields: { azureContainer: STUB_BUCKET, storageAccount: STUB_ACCOUNT },
  refused: azureError(403, "AuthorizationPermissionMismatch"),
  busy: azureError(503, "ServerBusy"),
  isRemoval: ({ query }) => query.get("comp") === "batch",
  fetch: noFetch,
  environment: { AZURE_STORAGE_KEY: STUB_ACCOUNT_KEY },
};

export const GCS_KIND: BucketKind = {
  start: startGcsStub,
  fields: { gcsBucket: STUB_BUCKET },
  refused: gcsError(403, "forbidden"),
  busy: gcsError(503, "backendError"),
  isRemoval: ({ method, query }) => method === "POST" && !query.has("uploadType"),
  fetch,
  environment: {},
};

const PREFIXES: Readonly<Record<Spot, string | undefined>> = {
  same: "docs",
  "another spelling": "docs",
  nested: "docs/nested",
  parent: undefined,
  separate: "other",
};
/** The header that names the operation of a request. It is not signed. */
const HEADER = "x-operation";

/** How many writes a list or a read may be behind. */
const LAG = 3;

const page = (status: number, title: string): StubAnswer => ({
  status,
  body: `<!doctype html><title>${title}</title>`,
  headers: { "content-type": "text/html" },
});

/** What a fault is at a store; `undefined` if this request cannot have it. */
function faultOf(
  kind: FaultKind,
  { refused, busy }: BucketKind,
  { isRead, isWrite }: { readonly isRead: boolean; readonly isWrite: boolean },
  late: () => BucketStub["objects"],
): StubFault | undefined {
  const answer = (given: StubAnswer): StubFault => ({ kind: "answer", answer: given });
  switch (kind) {
    case "refused":
      return answer(refused);
    case "busy":
      return answer(busy);
    case "login page":
      return answer(page(200, "Sign in"));
    case "no such page":
      return answer(page(404, "404 Not Found"));
    case "not arrived":
      return { kind: "broken", isDone: false };
    case "no answer":
      return { kind: "broken", isDone: true };
    case "lost":
      return isWrite ? { kind: "lost" } : undefined;
    case "late":
      return isRead ? { kind: "late", objects: late() } : undefined;
    case "link":
      return undefined;
  }
}

/** Opens a store with real requests, until the test ends. */
export async function openBucket(kind: BucketKind, contents: readonly Content[]): Promise<() => Place> {
  for (const [name, value] of Object.entries({ ...CANARIES, ...kind.environment })) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  // of Amazon's SDK, which repeats requests itself: no pause
  const random = vi.spyOn(Math, "random").mockReturnValue(0);
  onTestFinished(() => random.mockRestore());
  const store = await kind.start({ onTestFinished });
  return () => bucketPlace(store, kind, contents);
}

/** A bucket with archives and sites. @param store empty */
function bucketPlace(store: BucketStub, kind: BucketKind, contents: readonly Content[]): Place {
  const operations = new Map<string, Operation>();
  const foreign = new Set<string>();
  const name = (message: unknown): void => {
    const operation = Operation.current;
    if (!operation) return;
    operations.set(operation.id, operation);
    (message as { request: ClientRequest }).request.setHeader(HEADER, operation.id);
  };
  subscribe("http.client.request.created", name);
  store.objects.clear();
  store.uploads.clear();
  const past = new Past<BucketStub["objects"]>(LAG);
  store.ready = async (request) => {
    const { headers, method, query } = request;
    const id = headers[HEADER];
    // of a history that is over
    if (typeof id === "string" && !operations.has(id)) await new Promise<never>(() => undefined);
    const operation = operations.get(String(id));
    const fault = await operation?.step();
    const isRead = method === "GET" || method === "HEAD";
    const isWrite = !isRead && method !== "DELETE" && !kind.isRemoval(request);
    const found = fault && faultOf(fault, kind, { isRead, isWrite }, () => past.late(new Map(store.objects)));
    if (!isRead) past.note(new Map(store.objects));
    if (operation && found) operation.hadFault = true;
    if (found?.kind === "answer" && method === "HEAD") {
      return { kind: "answer", answer: { ...found.answer, body: "" } };
    }
    if (found?.kind === "lost" && query.has("uploads")) return undefined;
    return found;
  };
  const keyOf = ({ prefix }: Bucket, path: string): string =>
    prefix === undefined ? path : `${prefix}/${path}`;
  const text = (key: string): string | undefined => store.objects.get(key)?.body.toString();
  return {
    destination: (spot, variant) => ({
      ...kind.fields,
      endpoint:
        spot === "another spelling" ? store.endpoint.replace("127.0.0.1", "localhost") : store.endpoint,
      layout: variant % 3 === 0 ? "archive" : "site",
      ...(PREFIXES[spot] !== undefined && { prefix: PREFIXES[spot] }),
    }),
    fetch: kind.fetch,
    environment: kind.environment,
    missing(copy, content, owner, given) {
      const destination = given as Bucket;
      const item = destination.layout === "site" ? copy.sha256 : basename(copy.uri);
      if (this.owner?.(destination)?.owner !== owner) return keyOf(destination, ".docs-hosting/owner.json");
      if (destination.layout !== "site") {
        const archive = store.objects.get(keyOf(destination, item));
        const digest = archive && createHash("sha256").update(archive.body).digest("hex");
        return digest === content.fileSha256 ? undefined : keyOf(destination, item);
      }
      // of a copy whose pages another owner's have replaced, only its record is there
      if (this.pointer(destination) !== copy.sha256) return undefined;
      for (const [path, expected] of content.files) {
        if (text(keyOf(destination, path)) !== expected) return keyOf(destination, path);
      }
      return undefined;
    },
    owner(given) {
      const mark = text(keyOf(given as Bucket, ".docs-hosting/owner.json"));
      return mark === undefined ? undefined : (JSON.parse(mark) as { owner: string; urn: string });
    },
    pointer(given) {
      const destination = given as Bucket;
      if (destination.layout !== "site") return "no pointer";
      const page = text(keyOf(destination, "index.html"));
      return contents.find(({ files }) => files.get("index.html") === page)?.fileSha256;
    },
    nameOf: ({ sha256 }) => sha256,
    pointerKey(given) {
      const { prefix = "", layout } = given as Bucket;
      return `${layout} ${prefix}`;
    },
    addForeign(number, destination) {
      const key = keyOf(
        destination as Bucket,
        number % 2 === 0 ? `robots-${number}.txt` : `guide/robots-${number}.txt`,
      );
      store.put(key, `foreign ${number}`);
      foreign.add(key);
      return () => text(key) === `foreign ${number}`;
    },
    alter: () => false,
    left: () => [...store.objects.keys(), ...store.uploads.keys()].filter((key) => !foreign.has(key)),
    settle: () => past.forget(),
    killed: () => undefined,
    close() {
      unsubscribe("http.client.request.created", name);
      operations.clear();
    },
  };
}
