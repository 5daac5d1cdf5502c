import { expect, test } from "vitest";
import type { BundleLink } from "../../../provider/service/bundleLink.ts";
import type { Client } from "../../../provider/service/client.ts";
import { mintLink } from "../../../provider/service/mintLink.ts";
import { RecordedSpans, type RecordedSpan } from "../../simulation/recordedSpans.ts";
import { recordingReporter } from "../../simulation/recordingReporter.ts";
import { VirtualClock } from "../../simulation/virtualClock.ts";

const MINTED_AT = Date.parse("2026-11-23T08:00:00Z");

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
