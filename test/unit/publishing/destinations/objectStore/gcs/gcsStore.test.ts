// What Google answers on bad days, and the steps of its sessions that no emulator has: a server that answers as its documents say.
// `test/copies` has the good days.
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import fetch, { Response } from "node-fetch";
import { describe, expect, test, type TestContext } from "vitest";
import { authFailure } from "../../../../../../provider/publishing/destinations/objectStore/gcs/failure.ts";
import { openGcs } from "../../../../../../provider/publishing/destinations/objectStore/gcs/gcsStore.ts";
import {
  type GcsSdk,
  loadGcsSdk,
  verifyGcsSdk,
} from "../../../../../../provider/publishing/destinations/objectStore/gcs/sdk.ts";
import type { ObjectStore } from "../../../../../../provider/publishing/destinations/objectStore/objectStore.ts";
import { stubOperation } from "../../../../../simulation/bucketStub.ts";
import { FasterClock } from "../../../../../simulation/fasterClock.ts";

const MB = 1024 * 1024;
const PLACE = { gcsBucket: "docs" };
const OBJECTS = "/storage/v1/b/docs/o";
const HEADERS = { contentType: "text/html; charset=utf-8", cacheControl: "no-cache" };

interface Seen {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly range: string | undefined;
  readonly body: Buffer;
}

interface Answer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly json?: unknown;
  readonly text?: string;
  /** The connection ends without an answer. */
  readonly isCut?: boolean;
}

const refusal = (code: number, reason: string, message: string): Answer => ({
  status: code,
  json: { error: { code, message, errors: [{ domain: "global", reason, message }] } },
});

async function open(
  context: TestContext,
  answer: (request: Seen) => Answer,
  signal?: AbortSignal,
): Promise<{ store: ObjectStore; requests: string[] }> {
  const requests: string[] = [];
  const respond = async (incoming: IncomingMessage): Promise<Answer> => {
    const { pathname, searchParams: query } = new URL(incoming.url ?? "", "http://store");
    const pieces: Buffer[] = [];
    for await (const piece of incoming as AsyncIterable<Buffer>) pieces.push(piece);
    const [method, range] = [incoming.method ?? "", incoming.headers["content-range"]];
    requests.push([method, decodeURIComponent(pathname), range].filter(Boolean).join(" "));
    expect(incoming.headers.authorization).toBeUndefined();
    return answer({ method, path: decodeURIComponent(pathname), query, range, body: Buffer.concat(pieces) });
  };
  const server = createServer((incoming, outgoing) => {
    void respond(incoming).then(
      ({ status = 200, headers = {}, json = {}, text = JSON.stringify(json), isCut }) => {
        if (isCut) return void incoming.socket.destroy();
        outgoing.writeHead(status, headers).end(text);
      },
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  context.onTestFinished(() => server.close().closeAllConnections());
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const clock = new FasterClock(50);
  const place = { ...(await stubOperation(context, signal)), fetch, clock };
  const store = await openGcs({ ...PLACE, endpoint }, place);
  context.onTestFinished(() => store.close());
  return { store, requests };
}

const sha256 = (content: Buffer): string => createHash("sha256").update(content).digest("hex");
const md5 = (content: Buffer): string => createHash("md5").update(content).digest("base64");

const send = (store: ObjectStore, content: Buffer): Promise<void> =>
  store.send({ key: "v/a", size: content.length, sha256: sha256(content), headers: HEADERS }, content, {
    onlyIf: "absent",
  });

describe("a refusal says what to do", () => {
  const rows: [Answer, RegExp][] = [
    [
      refusal(404, "notFound", "The specified bucket does not exist."),
      /^noBucket: there is no bucket docs\. Make it/,
    ],
    [
      refusal(403, "forbidden", "sa@x does not have storage.objects.delete access to the object."),
      /^denied: storage\.objects\.delete on gs:\/\/docs\/v\/a is not allowed: sa@x .*roles\/storage\.objectUser/,
    ],
    [
      refusal(403, "accountDisabled", "The billing account for the owning project is disabled."),
      /^other: .* billing account .*Enable billing/,
    ],
    [
      refusal(403, "retentionPolicyNotMet", "Object is subject to bucket's retention policy."),
      /^other: .*a retention policy holds it/,
    ],
    [refusal(403, "objectUnderActiveHold", "Object is under active Event-Based hold"), /under a hold/],
    [refusal(412, "conditionNotMet", "At least one of the pre-conditions failed."), /^conflict: /],
    [refusal(401, "required", "Anonymous caller"), /^credentials: .*an endpoint with http: gets none/],
    [
      refusal(403, "accessNotConfigured", "Cloud Storage JSON API has not been used in project 1"),
      /gcloud services enable/,
    ],
    [
      refusal(403, "vpcServiceControls", "Request is prohibited by organization's policy."),
      /perimeter forbids it/,
    ],
    [
      refusal(400, "required", "Bucket is a requester pays bucket but no user project provided."),
      /GOOGLE_CLOUD_QUOTA_PROJECT/,
    ],
    [
      refusal(
        403,
        "forbidden",
        "Permission denied on Cloud KMS key. cloudkms.cryptoKeyVersions.useToEncrypt",
      ),
      /Encrypter\/Decrypter/,
    ],
    [
      refusal(412, "conditionNotMet", "public access prevention is enforced"),
      /^other: .*Copies need no public access/,
    ],
    [
      refusal(400, "invalid", 'Provided MD5 hash "x" doesn\'t match calculated MD5 hash "y".'),
      /^corrupted: the data that arrived at gs:\/\/docs\/v\/a differs/,
    ],
    [refusal(429, "rateLimitExceeded", "slow"), /^busy: .*too busy \(rateLimitExceeded\)/],
    [refusal(403, "userRateLimitExceeded", "slow"), /^busy: /],
    [refusal(503, "backendError", "We encountered an internal error."), /^busy: /],
    [{ status: 418, json: "tea" }, /^other: .*failed with status 418 \(418\): "tea"/],
    [{ isCut: true }, /^unreachable: the store could not be reached for gs:\/\/docs\/v\/a: /],
  ];

  test.for(rows)("%j", async ([answer, expected], context) => {
    const { store, requests } = await open(context, () => answer);
    const error = await send(store, Buffer.from("a")).catch((reason: unknown) => reason);
    const { failure, message, remedy } = error as { failure: string; message: string; remedy: string };
    expect(`${failure}: ${message}. ${remedy}`).toMatch(expected);
    const isTemporary = answer.isCut === true || failure === "busy";
    expect(requests).toHaveLength(isTemporary ? 8 : 1);
  });

  test.for([
    [
      { message: "Could not load the default credentials." },
      /^credentials: no credentials for the bucket docs/,
    ],
    [
      { message: "invalid_grant", response: { status: 400, data: { error: "invalid_grant" } } },
      /^credentials: .*expired or were revoked/,
    ],
    [
      {
        message:
          "invalid_grant: Invalid JWT: Token must be a short-lived token, check your iat and exp values",
      },
      /^clock: /,
    ],
    [{ message: "Cannot sign data without `client_email`" }, /^credentials: .*only a service account signs/],
    [
      { message: "Permission 'iam.serviceAccounts.signBlob' denied", response: { status: 403 } },
      /^denied: .*roles\/iam\.serviceAccountTokenCreator/,
    ],
    [
      { message: "getaddrinfo ENOTFOUND oauth2.googleapis.com", code: "ENOTFOUND" },
      /^unreachable: Google's login .*ENOTFOUND/,
    ],
  ] as const)("without usable credentials: %j", ([error, expected]) => {
    const { failure, message, remedy } = authFailure(error, PLACE);
    expect(`${failure}: ${message}. ${remedy}`).toMatch(expected);
  });

  test("a missing library is named with its command", async () => {
    const missing = Object.assign(new Error("Cannot find package"), { code: "ERR_MODULE_NOT_FOUND" });
    await expect(loadGcsSdk(() => Promise.reject(missing))).rejects.toMatchObject({
      remedy: "Run `npm install @google-cloud/storage` in the project's folder.",
    });
    expect(() => verifyGcsSdk()).not.toThrow();
  });
});

test("throttling for less than half a minute delays a request, as long as Retry-After says", async (context) => {
  let count = 0;
  const slow = { ...refusal(429, "rateLimitExceeded", "slow"), headers: { "retry-after": "1" } };
  const { store } = await open(context, () =>
    count++ < 3 ? slow : { json: { generation: "7", size: "3" } },
  );
  expect(await store.head("v/a")).toMatchObject({ revision: "7", size: 3 });
});

test("every method ends at once when the operation is stopped, also while the store is silent", async (context) => {
  const stop = new AbortController();
  const { store } = await open(context, () => new Promise(() => undefined) as unknown as Answer, stop.signal);
  const object = { key: "a", size: 1, sha256: "", headers: HEADERS };
  const all = [
    store.head("a"),
    store.list("", () => undefined),
    store.read("a", () => Promise.resolve()),
    store.send(object, Buffer.from("a")),
    store.remove(["a"]),
  ];
  const ends = Promise.allSettled(all);
  const reason = new Error("stopped");
  stop.abort(reason);
  for (const end of await ends) expect(end).toMatchObject({ status: "rejected", reason });
});

describe("a large object in a session", () => {
  const content = Buffer.alloc(17 * MB, "0123456789abcdef-");
  const object = { key: "v/a", size: content.length, sha256: sha256(content), headers: HEADERS };
  const read = async function* () {
    for (let at = 0; at < content.length; at += 100_000) {
      yield await Promise.resolve(content.subarray(at, at + 100_000));
    }
  };

  /** A session as Google's documents describe it. @param fault of a request with content */
  function sessions(fault: (piece: number) => Answer | "half" | undefined) {
    let had = Buffer.alloc(0);
    let pieces = 0;
    return ({ method, query, range = "", body }: Seen): Answer => {
      if (method === "DELETE") return { status: 204 };
      if (query.get("uploadType") === "resumable" && method === "POST") {
        had = Buffer.alloc(0);
        expect(JSON.parse(body.toString())).toMatchObject({ name: "v/a", md5Hash: md5(content) });
        expect(query.get("ifGenerationMatch")).toBe("0");
        return { headers: { location: "/upload/storage/v1/b/docs/o?upload_id=1" } };
      }
      const [, start] = /^bytes (\d+)-/.exec(range) ?? [];
      const wrong = start === undefined ? undefined : fault(pieces++);
      if (wrong !== undefined && wrong !== "half") return wrong;
      if (start !== undefined) {
        // what it has already is ignored
        const fresh = body.subarray(had.length - Number(start));
        had = Buffer.concat([had, wrong === "half" ? fresh.subarray(0, 2 * MB) : fresh]);
      }
      if (wrong === "half") return { isCut: true };
      if (had.length === content.length) {
        return { json: { generation: "1", size: String(had.length), md5Hash: md5(had) } };
      }
      return { status: 308, headers: had.length === 0 ? {} : { range: `bytes=0-${had.length - 1}` } };
    };
  }
  const put = (range: string): string => `PUT /upload/storage/v1/b/docs/o bytes ${range}/${content.length}`;
  const POST = "POST /upload/storage/v1/b/docs/o";
  const last = content.length - 1;

  test("arrives in pieces of 8 MiB", async (context) => {
    const { store, requests } = await open(
      context,
      sessions(() => undefined),
    );
    await store.send(object, read, { onlyIf: "absent" });
    const ranges = [`0-${8 * MB - 1}`, `${8 * MB}-${16 * MB - 1}`, `${16 * MB}-${last}`];
    expect(requests).toEqual([POST, ...ranges.map(put)]);
  });

  test("continues where the store is after a cut connection, a refusal for now and a lost answer", async (context) => {
    const faults = ["half", refusal(503, "backendError", "later"), undefined, { isCut: true }] as const;
    const { store, requests } = await open(
      context,
      sessions((piece) => faults[piece]),
    );
    await store.send(object, read, { onlyIf: "absent" });
    expect(requests.slice(0, 5)).toEqual([
      POST,
      ...[`0-${8 * MB - 1}`, "*", `${2 * MB}-${8 * MB - 1}`, "*"].map(put),
    ]);
    expect(requests.filter((each) => each === POST)).toHaveLength(1);
  });

  test("begins again when the store forgot it", async (context) => {
    const gone = refusal(410, "uploadSessionGone", "gone");
    const { store, requests } = await open(
      context,
      sessions((piece) => (piece === 1 ? gone : undefined)),
    );
    await store.send(object, read, { onlyIf: "absent" });
    expect(requests.filter((each) => each === POST)).toHaveLength(2);
  });

  test("that is not what was sent is removed", async (context) => {
    const wrong = { json: { generation: "5", size: String(content.length), md5Hash: "other" } };
    const { store, requests } = await open(
      context,
      sessions((piece) => (piece === 2 ? wrong : undefined)),
    );
    const sent = store.send(object, read, { onlyIf: "absent" });
    await expect(sent).rejects.toMatchObject({ failure: "corrupted" });
    expect(requests.at(-1)).toBe(`DELETE ${OBJECTS}/v/a`);
  });
});

test("the revision of an object is known from what it is read with and from what it is sent with", async (context) => {
  const text = Buffer.from("x");
  const md5Hash = createHash("md5").update(text).digest("base64");
  const { store } = await open(context, ({ method }) =>
    method === "GET"
      ? { headers: { "x-goog-generation": "7" }, json: "x" }
      : { json: { generation: "7", size: "1", md5Hash } },
  );
  const found: unknown[] = [];
  const whole = { key: "v/a", size: 1, sha256: "", headers: HEADERS };
  await store.send(whole, text, { onStored: (revision) => found.push(revision) });
  await store.read("v/a", (_, revision) => Promise.resolve(found.push(revision)));
  expect(found).toEqual(["7", "7"]);
});

describe("a removal", () => {
  const keys = Array.from({ length: 250 }, (_, at) => `v/a ${at}`);
  /** What the parts of a batch get; without it, 204. */
  const batch = (body: Buffer, answer: (path: string) => string | undefined): Answer => {
    const parts = [...body.toString().matchAll(/content-id: <(\d+)>\r\n\r\nDELETE (\S+) HTTP/g)];
    const texts = parts.map(([, at = "", path = ""]) => {
      const said = answer(decodeURIComponent(path)) ?? "204 No Content";
      return `--b\r\nContent-Type: application/http\r\nContent-ID: <response-${at}>\r\n\r\nHTTP/1.1 ${said}\r\n\r\n`;
    });
    return {
      headers: { "content-type": "multipart/mixed; boundary=b" },
      text: `${texts.reverse().join("")}--b--`,
    };
  };

  test("takes one request for a hundred objects, and one more for each that stays", async (context) => {
    const { store, requests } = await open(context, ({ path, body }) => {
      if (path !== "/batch/storage/v1") return { status: 204 };
      const missing = `404 Not Found\r\n\r\n${JSON.stringify(refusal(404, "notFound", "No such object").json)}`;
      return batch(body, (each) =>
        each.endsWith("/v/a 7") ? "503 Busy" : each.endsWith("/v/a 8") ? missing : undefined,
      );
    });
    await store.remove(keys);
    expect(requests).toEqual([...Array<string>(3).fill("POST /batch/storage/v1"), `DELETE ${OBJECTS}/v/a 7`]);
  });

  test("goes one by one at a store without batches", async (context) => {
    const { store, requests } = await open(context, ({ path }) =>
      path.startsWith("/batch") ? { status: 404 } : { status: 204 },
    );
    await store.remove(keys);
    expect(requests.filter((each) => each.startsWith("DELETE")).length).toBe(keys.length);
  });

  test("fails where the bucket is gone", async (context) => {
    const missing = refusal(404, "notFound", "The specified bucket does not exist.");
    const { store } = await open(context, ({ path, body }) =>
      path.startsWith("/batch")
        ? batch(body, () => `404 Not Found\r\n\r\n${JSON.stringify(missing.json)}`)
        : missing,
    );
    await expect(store.remove(["a", "b"])).rejects.toMatchObject({ failure: "noBucket" });
  });
});

test.for([(given: object) => given, (given: object) => new Headers(given as Record<string, string>)])(
  "requests have the token that the library gives, and the project that pays, at Google's address",
  async (wrap, context) => {
    const given = { authorization: "Bearer c4n4ry-token", "x-goog-user-project": "payer" };
    class Storage {
      authClient = { getRequestHeaders: () => Promise.resolve(wrap(given)) };
    }
    const sent: unknown[] = [];
    const place = {
      ...(await stubOperation(context)),
      fetch: (url: string, init: object) => {
        sent.push([url, init]);
        return Promise.resolve(new Response(JSON.stringify({ generation: "7", size: "3" })));
      },
    };
    const store = await openGcs(PLACE, place, Promise.resolve({ Storage } as unknown as GcsSdk));
    expect(await store.head("v/ä b")).toMatchObject({ revision: "7" });
    const url = expect.stringMatching(
      /^https:\/\/storage\.googleapis\.com\/storage\/v1\/b\/docs\/o\/v%2F%C3%A4%20b\?fields=/,
    ) as unknown;
    expect(sent).toEqual([
      [url, expect.objectContaining({ headers: expect.objectContaining(given) as unknown })],
    ]);
    expect(place.secrets.removeFrom("c4n4ry-token")).not.toContain("c4n4ry");
  },
);

test("a link that Google's own key signs ends after twelve hours, and one of a private key when it says", async (context) => {
  const signed = async (privateKey: string | undefined): Promise<number | undefined> => {
    const getCredentials = () => Promise.resolve({ client_email: "a@b", private_key: privateKey });
    class Storage {
      authClient = { getCredentials };
      bucket = () => ({
        file: () => ({ getSignedUrl: () => Promise.resolve(["https://x/?X-Goog-Signature=s"]) }),
      });
    }
    const place = await stubOperation(context);
    const store = await openGcs(PLACE, place, Promise.resolve({ Storage } as unknown as GcsSdk));
    const { expiresAtMs } = await store.sign("a", 48 * 3_600_000);
    return ((expiresAtMs ?? 0) - Math.floor(place.clock.now() / 1_000) * 1_000) / 3_600_000;
  };
  expect(await signed("key")).toBe(48);
  expect(await signed(undefined)).toBe(12);
});

describe("what the store says of an object beside its content", () => {
  test.for([
    [{ retentionExpirationTime: "2027-01-01T00:00:00Z" }, "a retention policy (until 2027-01-01T00:00:00Z)"],
    [{ eventBasedHold: true }, "an event-based hold"],
    [{ temporaryHold: true }, "a temporary hold"],
    [{ eventBasedHold: false }, undefined],
  ] as const)(
    "an object that is protected at once is noticed when it is sent: %o",
    async ([fields, by], context) => {
      const content = Buffer.from("x");
      const { store } = await open(context, () => ({
        json: { generation: "1", size: "1", md5Hash: md5(content), ...fields },
      }));
      const found: string[] = [];
      const object = { key: "v/a", size: 1, sha256: sha256(content), headers: HEADERS };
      await store.send(object, content, { onProtected: (protection) => found.push(protection) });
      expect(found).toEqual(by === undefined ? [] : [by]);
    },
  );

  test("its headers are in a list", async (context) => {
    const object = { size: "1", generation: "1", timeCreated: "2026-11-01T00:00:00Z" };
    const page = { ...object, contentType: "text/html", cacheControl: "no-cache" };
    const items = [
      { ...page, name: "v/a" },
      { ...page, name: "v/b", contentDisposition: "attachment", contentEncoding: "gzip" },
    ];
    // the store lists the fields that are asked for
    const { store } = await open(context, ({ query }) => {
      const fields = /items\((.*)\)/.exec(query.get("fields") ?? "")?.[1]?.split(",") ?? [];
      const shown = items.map((item) =>
        Object.fromEntries(Object.entries(item).filter(([name]) => fields.includes(name))),
      );
      return { json: { kind: "storage#objects", items: shown } };
    });
    const listed: unknown[] = [];
    await store.list("v/", ({ key, headers }) => listed.push([key, headers]));
    expect(listed).toEqual([
      ["v/a", { contentType: "text/html", cacheControl: "no-cache" }],
      [
        "v/b",
        {
          contentType: "text/html",
          cacheControl: "no-cache",
          contentEncoding: "gzip",
          contentDisposition: "attachment",
        },
      ],
    ]);
  });

  test("a disposition that somebody set is described", async (context) => {
    const { store } = await open(context, () => ({
      json: { size: "1", generation: "1", contentType: "text/html", contentDisposition: "attachment" },
    }));
    expect((await store.head("v/a"))?.headers).toEqual({
      contentType: "text/html",
      cacheControl: undefined,
      contentDisposition: "attachment",
    });
  });
});
