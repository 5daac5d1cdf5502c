import { expect, test } from "vitest";
import { rangesOf } from "../../../../../provider/publishing/images/registry/blobs.ts";
import { contentOf } from "../../../../../provider/publishing/images/registry/content.ts";
import { ensureBlob, ensureContent } from "../../../../../provider/publishing/images/registry/ensureBlob.ts";
import { type Reply, type ScriptedRegistry, scriptedRegistry } from "./scriptedRegistry.ts";

const CONTENT = contentOf("text/plain", Buffer.from("0123456789"));
const { digest } = CONTENT;
const HAS = `HEAD blobs/${digest}`;
const MOUNT = `POST blobs/uploads/?mount=${encodeURIComponent(digest)}&from=library%2Fnginx`;
const BEGUN: Reply = { status: 202, headers: { location: "/v2/docs/site/u1" } };
const SEND: readonly [string, Reply][] = [
  ["POST blobs/uploads/", BEGUN],
  [`PUT u1?digest=${encodeURIComponent(digest)}`, { status: 201 }],
];

/** Ensures the blob at a registry that replies in this order. */
async function ensured(
  script: readonly (readonly [line: string, reply: Reply])[],
  mountFrom?: string,
): Promise<ScriptedRegistry & { isSent: boolean; moved: number[]; asked: number }> {
  const registry = scriptedRegistry((_request, number) => script[number - 1]?.[1] ?? { status: 418 });
  const moved: number[] = [];
  let asked = 0;
  const isSent = await ensureBlob(
    registry.client,
    { digest, size: 10 },
    {
      mountFrom,
      moved: (bytes) => moved.push(bytes),
      source: () => {
        asked++;
        return rangesOf(CONTENT.bytes);
      },
    },
  );
  expect(registry.lines()).toEqual(script.map(([line]) => line));
  return { ...registry, isSent, moved, asked };
}

test("a blob that is there is not sent, and its content not asked for", async () => {
  const found = await ensured([[HAS, { status: 200 }]], "library/nginx");
  expect(found).toMatchObject({ isSent: false, moved: [10], asked: 0 });
});

test("a blob of another repository is mounted", async () => {
  const found = await ensured(
    [
      [HAS, { status: 404 }],
      [MOUNT, { status: 201 }],
    ],
    "library/nginx",
  );
  expect(found).toMatchObject({ isSent: false, moved: [10], asked: 0 });
});

test("a blob that is nowhere is sent", async () => {
  const { isSent, asked, requests, moved } = await ensured([[HAS, { status: 404 }], ...SEND]);
  expect({ isSent, asked }).toEqual({ isSent: true, asked: 1 });
  expect(moved.at(-1)).toBe(10);
  expect(String(requests.at(-1)?.body)).toBe("0123456789");
});

test.each([400, 401, 403, 404, 405, 500])(
  "a registry that answers a mount with %d gets the blob",
  async (status) => {
    const { isSent } = await ensured([[HAS, { status: 404 }], [MOUNT, { status }], ...SEND], "library/nginx");
    expect(isSent).toBe(true);
  },
);

test("an upload that a registry began instead of a mount is cancelled", async () => {
  const instead: Reply = { status: 202, headers: { location: "/v2/docs/site/u0" } };
  const { isSent } = await ensured(
    [[HAS, { status: 404 }], [MOUNT, instead], ["DELETE u0", { status: 204 }], ...SEND],
    "library/nginx",
  );
  expect(isSent).toBe(true);
});

test("content in memory is sent as a blob", async () => {
  const { client, lines, requests } = scriptedRegistry(({ method }) =>
    method === "HEAD" ? { status: 404 } : method === "POST" ? BEGUN : { status: 201 },
  );
  await ensureContent(client, CONTENT);
  expect(lines()).toEqual([HAS, ...SEND.map(([line]) => line)]);
  expect(String(requests.at(-1)?.body)).toBe("0123456789");
});
