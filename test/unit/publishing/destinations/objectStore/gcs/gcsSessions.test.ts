// Large objects, which are sent in sessions.
import { describe, expect, test } from "vitest";
import { type Answer, HEADERS, md5, OBJECTS, open, refusal, type Seen, sha256 } from "./scriptedGcs.ts";

const MB = 1024 * 1024;

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
