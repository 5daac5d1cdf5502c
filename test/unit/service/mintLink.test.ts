import { expect, test } from "vitest";
import type { BundleLink } from "../../../provider/service/bundleLink.ts";
import type { Client } from "../../../provider/service/client.ts";
import { mintLink } from "../../../provider/service/mintLink.ts";
import { noTracer } from "../../../provider/tracing/tracer.ts";
import { RecordedSpans, type RecordedSpan } from "../../simulation/recordedSpans.ts";
import { recordingReporter } from "../../simulation/recordingReporter.ts";
import { VirtualClock } from "../../simulation/virtualClock.ts";

const MINTED_AT = Date.parse("2026-11-23T08:00:00Z");

/** Mints where the service gives these links, one after the other. @returns which one it is, and what is told */
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
  return { asked, told: reporter.lines.warn };
}

const HOUR_MS = 3_600_000;

test("a link that lives is asked for once, and nothing is told of it", async () => {
  expect(await minted(0, HOUR_MS)).toEqual({ asked: 1, told: [] });
});

test("a link that is as good as dead is asked for once more, and then told of", async () => {
  expect(await minted(0, 0, HOUR_MS)).toEqual({ asked: 2, told: [] });
  expect(await minted(0, 1_000, 1_000)).toEqual({
    asked: 2,
    told: [expect.stringMatching(/^the link to job job-7 expires within \d+ seconds/)],
  });
});

test("a link that is dead by the service's own clock is an error; where it has none, the clock here is in doubt", async () => {
  await expect(minted(0, -1, -1)).rejects.toThrow("has expired already");
  expect(await minted(undefined, -1, 0)).toEqual({
    asked: 2,
    told: [expect.stringContaining("by this machine's clock the link to job job-7 has expired already")],
  });
});

test("a link of which nobody knows the end is told of", async () => {
  expect(await minted(0, undefined)).toEqual({
    asked: 1,
    told: [
      "the service does not say when the link to job job-7 expires: it is renewed only when an input changes",
    ],
  });
});

/** The span in which this link is minted. */
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

test("a span of the mint names the job and says when the link ends, and nothing else of it", async () => {
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

test("of a link without an end, its span has none either", async () => {
  const span = await spanOf({ url: "https://store.example/b", mintedAtMs: MINTED_AT });
  expect(span?.attributes).not.toHaveProperty(["docs_hosting.link.expires_at"]);
  expect(span?.attributes).toMatchObject({ "docs_hosting.job.id": "job-7" });
});
