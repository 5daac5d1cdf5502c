import { createHash } from "node:crypto";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { ClientRequest } from "node:http";
import { basename } from "node:path";
import {
  type BucketStub,
  STUB_BUCKET,
  type StubAnswer,
  stubError,
  type StubFault,
} from "../../simulation/bucketStub.ts";
import type { Content } from "./contents.ts";
import { type FaultKind, Past } from "./faults.ts";
import { Operation } from "./operation.ts";
import type { Place, Spot } from "./place.ts";

type Bucket = { readonly endpoint: string; readonly prefix?: string; readonly layout: string };

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

const PAGE = "<!doctype html><title>Sign in</title>";

/** What a fault is at a store; `undefined` if this request cannot have it. */
function faultOf(
  kind: FaultKind,
  { isRead, isWrite }: { readonly isRead: boolean; readonly isWrite: boolean },
  late: () => BucketStub["objects"],
): StubFault | undefined {
  const answer = (given: StubAnswer): StubFault => ({ kind: "answer", answer: given });
  switch (kind) {
    case "refused":
      return answer(stubError(403, "AccessDenied"));
    case "busy":
      return answer(stubError(503, "SlowDown"));
    case "login page":
      return answer({ status: 200, body: PAGE, headers: { "content-type": "text/html" } });
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

/** A bucket with archives and sites. @param store empty */
export function bucketPlace(store: BucketStub, contents: readonly Content[]): Place {
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
  store.ready = async ({ headers, method, query }) => {
    const id = headers[HEADER];
    // of a history that is over
    if (typeof id === "string" && !operations.has(id)) await new Promise<never>(() => undefined);
    const operation = operations.get(String(id));
    const fault = await operation?.step();
    const isRead = method === "GET" || method === "HEAD";
    const isWrite = !isRead && method !== "DELETE" && !query.has("delete");
    const found = fault && faultOf(fault, { isRead, isWrite }, () => past.late(new Map(store.objects)));
    if (!isRead) past.note(new Map(store.objects));
    if (operation && found) operation.hadFault = true;
    if (found?.kind === "answer" && method === "HEAD") {
      return { kind: "answer", answer: { status: found.answer.status } };
    }
    if (found?.kind === "lost" && query.has("uploads")) return undefined;
    return found;
  };
  const keyOf = ({ prefix }: Bucket, path: string): string =>
    prefix === undefined ? path : `${prefix}/${path}`;
  const text = (key: string): string | undefined => store.objects.get(key)?.body.toString();
  return {
    destination: (spot, variant) => ({
      bucket: STUB_BUCKET,
      endpoint:
        spot === "another spelling" ? store.endpoint.replace("127.0.0.1", "localhost") : store.endpoint,
      region: "eu-west-1",
      layout: variant % 3 === 0 ? "archive" : "site",
      ...(PREFIXES[spot] !== undefined && { prefix: PREFIXES[spot] }),
    }),
    fetch: () => Promise.reject(new Error("nothing is fetched")),
    environment: {},
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
