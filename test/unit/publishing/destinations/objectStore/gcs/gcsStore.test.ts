// What Google answers on bad days, and the steps of its sessions that no emulator has: a server that answers as its documents say.
// `test/copies` has the good days.
import { createHash } from "node:crypto";
import { Response } from "node-fetch";
import { describe, expect, test } from "vitest";
import { openGcs } from "../../../../../../provider/publishing/destinations/objectStore/gcs/gcsStore.ts";
import { type GcsSdk } from "../../../../../../provider/publishing/destinations/objectStore/gcs/sdk.ts";
import { stubOperation } from "../../../../../simulation/bucketStub.ts";
import { type Answer, HEADERS, md5, OBJECTS, open, PLACE, refusal, sha256 } from "./scriptedGcs.ts";

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
