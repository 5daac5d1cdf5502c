import { expect, test } from "vitest";
import { type BundleLink } from "../../../provider/service/bundleLink.ts";
import { mintLink } from "../../../provider/service/mintLink.ts";
import type { Client } from "../../../provider/service/client.ts";
import { noTracer } from "../../../provider/runtime/tracing/tracer.ts";
import { type RecordedSpan, RecordedSpans } from "../../simulation/recordedSpans.ts";
import { recordingReporter } from "../../simulation/recordingReporter.ts";
import { VirtualClock } from "../../simulation/virtualClock.ts";

const MINTED_AT = Date.parse("2026-11-23T08:00:00Z");

/** Requests a link where the service returns these, one after the other. @returns which one it is, and the messages */
async function minted(clockAheadMs: number | undefined, ...lives: (number | undefined)[]): Promise<unknown> {
  const reporter = recordingReporter();
  const links = lives.map((lifeMs) => ({
    url: "https://store.example/b",
    mintedAtMs: MINTED_AT,
    ...(lifeMs !== undefined && { expiresAtMs: MINTED_AT + lifeMs }),
  }));
  let asked = 0;
  const createBundle = (): Promise<BundleLink> =>
    Promise.resolve(links[asked++] ?? expect.fail("asked again"));
  const client = { createBundle, clockAheadMs } as unknown as Client;
  await mintLink("job-7", "docs.example.com", { client, reporter, tracer: noTracer });
  return { asked, warnings: reporter.lines.warn };
}

const HOUR_MS = 3_600_000;

test("a valid link is requested once, without a message", async () => {
  expect(await minted(0, HOUR_MS)).toEqual({ asked: 1, warnings: [] });
});

test("a link that is about to end is requested once more, and then reported", async () => {
  expect(await minted(0, 0, HOUR_MS)).toEqual({ asked: 2, warnings: [] });
  expect(await minted(0, 1_000, 1_000)).toEqual({
    asked: 2,
    warnings: [expect.stringMatching(/^the link to job job-7 expires within \d+ seconds/)],
  });
});

test("a link that has ended by the service's own clock is an error; without one, this machine's clock is in doubt", async () => {
  await expect(minted(0, -1, -1)).rejects.toThrow("has expired already");
  expect(await minted(undefined, -1, 0)).toEqual({
    asked: 2,
    warnings: [expect.stringContaining("by this machine's clock the link to job job-7 has expired already")],
  });
});

test("a link with an unknown end is reported", async () => {
  expect(await minted(0, undefined)).toEqual({
    asked: 1,
    warnings: [
      "the service does not say when the link to job job-7 expires: it is renewed only when an input changes",
    ],
  });
});

/** The span in which this link is requested. */
async function spanOf(link: BundleLink): Promise<RecordedSpan | undefined> {
  const clock = new VirtualClock();
  const recorded = new RecordedSpans(clock);
  const client: Pick<Client, "createBundle"> = { createBundle: () => Promise.resolve(link) };
  const minted = await clock.run(
    recorded.operation((tracer) =>
      mintLink("job-7", "docs.example.com", {
        client: client as Client,
        reporter: recordingReporter(),
        tracer,
      }),
    ),
  );
  expect(minted).toBe(link);
  return recorded.tree.within[0];
}

test("the span has the job and the link's end, and nothing else of the link", async () => {
  const url = "https://store.example/b?X-Signature=c4n4ry";
  const span = await spanOf({ url, mintedAtMs: MINTED_AT, expiresAtMs: MINTED_AT + 3_600_000 });
  expect(span).toMatchObject({
    name: "docs_hosting.link.mint",
    attributes: {
      "docs_hosting.job.id": "job-7",
      "docs_hosting.link.expires_at": "2026-11-23T09:00:00.000Z",
    },
  });
  expect(JSON.stringify(span)).not.toContain("store.example");
});

test("the span of a link without an end has none either", async () => {
  const span = await spanOf({ url: "https://store.example/b", mintedAtMs: MINTED_AT });
  expect(span?.attributes).not.toHaveProperty(["docs_hosting.link.expires_at"]);
  expect(span?.attributes).toMatchObject({ "docs_hosting.job.id": "job-7" });
});
