import { MalformedResponseError } from "../base/runtime/messages/errors";
import type { Reporter } from "../base/runtime/messages/reporter";
import type { Tracer } from "../base/runtime/tracing/tracer";
import { type BundleLink, SHORT_LIFE_MS } from "./bundleLink";
import type { Client } from "./client";

/**
 * Mints a link to the bundle of a completed job. If the link has expired or is about to expire, it mints a second one.
 *
 * @param domain the site of the job
 * @throws InputError for a job of another site; MalformedResponseError if the second link has expired by the service's own clock;
 *   any other DocsHostingError
 */
export function mintLink(
  jobId: string,
  domain: string,
  { client, reporter, tracer }: { client: Client; reporter: Reporter; tracer: Tracer },
): Promise<BundleLink> {
  return tracer.span("docs_hosting.link.mint", { "docs_hosting.job.id": jobId }, async () => {
    let link = await client.createBundle(jobId, domain);
    if (lifeOf(link) < SHORT_LIFE_MS) link = await client.createBundle(jobId, domain);
    const lifeMs = lifeOf(link);
    if (link.wrongEndMs !== undefined && link.expiresAtMs !== undefined) {
      reporter.warn(
        `the service says that the link to job ${jobId} has expired at ${dateText(link.wrongEndMs)}, but the link's own signature holds until ` +
          `${dateText(link.expiresAtMs)}: that end counts. A time without a zone is read as UTC`,
      );
    }
    if (link.expiresAtMs === undefined) {
      const unknown =
        link.unreadEnd === undefined
          ? `the service does not say when the link to job ${jobId} expires`
          : `the service says that the link to job ${jobId} expires at ${link.unreadEnd}, which is no point in time`;
      reporter.warn(`${unknown}: it is renewed only when an input changes`);
      return link;
    }
    if (lifeMs <= 0 && client.clockAheadMs !== undefined) {
      throw new MalformedResponseError(
        `the service minted a link for job ${jobId} that has expired already`,
        "Report this to the service's support: its own clock says so.",
      );
    }
    if (lifeMs <= 0) {
      // without a Date header it is unknown whose clock is wrong: the storage decides
      reporter.warn(
        `by this machine's clock the link to job ${jobId} has expired already; the service does not send its time, so check the clock`,
      );
    } else if (lifeMs < SHORT_LIFE_MS) {
      reporter.warn(
        `the link to job ${jobId} expires within ${SHORT_LIFE_MS / 1_000} seconds; the next \`pulumi up\` renews it`,
      );
    }
    tracer.note({ "docs_hosting.link.expires_at": new Date(link.expiresAtMs).toISOString() });
    return link;
  });
}

function dateText(atMs: number): string {
  return new Date(atMs).toISOString();
}

function lifeOf({ expiresAtMs = Infinity, mintedAtMs }: BundleLink): number {
  return expiresAtMs - mintedAtMs;
}
