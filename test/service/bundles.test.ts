import { createHash } from "node:crypto";
import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { PATIENTLY } from "../simulation/patience.ts";
import { JOBS } from "./serviceCalls.ts";
import { download, LINK_LIFETIME_MS, serviceOfEachTest } from "./testedService.ts";

const { tested, call, startJob, completeJob, mintLink, listPages, exportJobs } = serviceOfEachTest();

describe("a bundle", () => {
  test("has its job and its size, and unpacks to the pages of the site", async () => {
    const { jobId } = await completeJob();
    const { status, body } = await call("POST", `${JOBS}/${jobId}/bundle`);
    const { bytes } = await download(String(body["bundleUrl"]));
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        jobId,
        domain: "docs.example.com",
        bundleUrl: expect.any(String) as string,
        expiresAt: new Date(tested.clockMs + LINK_LIFETIME_MS).toISOString(),
        sizeBytes: bytes.length,
      },
    });
    const pages = ["404.html", "index.html", "one.html", "three.html", "two.html"];
    expect(await listPages(jobId)).toEqual(pages);
  });

  test("that could not be packed is packed again at the next call", async () => {
    const { jobs, folder } = await exportJobs();
    const { jobId } = jobs.start({ domain: "docs.example.com", source: tested.source });
    await vi.waitFor(() => expect(jobs.status(jobId)?.status).toBe("completed"), PATIENTLY);
    const page = join(folder, jobId, "one.html");
    await rename(page, `${page}.away`);
    await expect(jobs.archive(jobId)).rejects.toThrow("one.html");
    expect(await jobs.packedArchive(jobId)).toBeUndefined();
    await rename(`${page}.away`, page);
    expect((await jobs.archive(jobId)).size).toBeGreaterThan(1000);
  });

  test("cannot be created before its job is completed", async () => {
    const { status, body } = await call("POST", `${JOBS}/${await startJob()}/bundle`);
    expect(status).toBe(409);
    expect(body["error"]).toMatch(/a bundle can be made once it is completed/);
  });

  test("is downloaded by a link until it expires, and after that by a new link; two links of the same moment differ", async () => {
    const { jobId } = await completeJob();
    const link = await mintLink(jobId);
    expect(await mintLink(jobId)).not.toBe(link);
    const first = await download(link);
    expect(first.status).toBe(200);

    tested.clockMs += LINK_LIFETIME_MS - 1;
    expect((await download(link)).status).toBe(200);
    tested.clockMs += 1;
    const expired = await download(link);
    expect(expired.status).toBe(403);
    expect(JSON.parse(expired.bytes.toString())).toEqual({ error: "the link has expired" });
    expect((await download(await mintLink(jobId))).bytes).toEqual(first.bytes);
  });

  test.each([
    ["a later expiry", (url: URL) => url.searchParams.set("expires", String(tested.clockMs * 2))],
    ["another signature", (url: URL) => url.searchParams.set("signature", "0".repeat(64))],
    ["no signature", (url: URL) => url.searchParams.delete("signature")],
    ["another job", (url: URL) => (url.pathname = url.pathname.replace(/[^/]+\.tar\.gz/, "job-1.tar.gz"))],
  ])("is refused to a link with %s", async (_change, change) => {
    const url = new URL(await mintLink((await completeJob()).jobId));
    change(url);
    const refused = await download(url.href);
    expect(refused.status).toBe(403);
    expect(JSON.parse(refused.bytes.toString())).toEqual({ error: "the link is not valid" });
  });

  test("can be downloaded in parts that join to the same bytes", async () => {
    const link = await mintLink((await completeJob()).jobId);
    const whole = await download(link);
    const size = whole.bytes.length;
    const etag = whole.headers.get("etag") ?? "";
    expect(etag).toMatch(/^"[0-9a-f]{64}"$/);
    expect(whole.headers.get("accept-ranges")).toBe("bytes");
    expect(whole.headers.get("content-length")).toBe(String(size));

    const head = await download(link, { range: "bytes=0-999" });
    const rest = await download(link, { range: "bytes=1000-", "if-range": etag });
    expect([head.status, rest.status]).toEqual([206, 206]);
    expect(rest.headers.get("content-range")).toBe(`bytes 1000-${size - 1}/${size}`);
    expect(Buffer.concat([head.bytes, rest.bytes])).toEqual(whole.bytes);
    // each reply has the digest of the whole, so that clients that join the parts can check them
    const digest = `sha-256=:${createHash("sha256").update(whole.bytes).digest("base64")}:`;
    for (const { headers } of [whole, head, rest]) expect(headers.get("repr-digest")).toBe(digest);

    const tail = await download(link, { range: "bytes=-10" });
    expect(tail.bytes).toEqual(whole.bytes.subarray(-10));
    const ofAnotherVersion = await download(link, { range: "bytes=1000-", "if-range": '"another"' });
    expect(ofAnotherVersion).toMatchObject({ status: 200, bytes: whole.bytes });
    const beyond = await download(link, { range: `bytes=${size}-` });
    expect(beyond.status).toBe(416);
    expect(beyond.headers.get("content-range")).toBe(`bytes */${size}`);
    const none = await download(link, {}, "HEAD");
    expect(none).toMatchObject({ status: 200, bytes: Buffer.alloc(0) });
    expect(none.headers.get("content-length")).toBe(String(size));
  });

  test("has new content only in a new export; the old job keeps the old", async () => {
    const bytesOf = async (jobId: string): Promise<Buffer> => (await download(await mintLink(jobId))).bytes;
    const { jobId: oldJob } = await completeJob();
    const oldBytes = await bytesOf(oldJob);
    await writeFile(join(tested.source, "one.md"), "# Changed");
    expect(await bytesOf((await completeJob()).jobId)).not.toEqual(oldBytes);
    expect(await bytesOf(oldJob)).toEqual(oldBytes);
  });
});
