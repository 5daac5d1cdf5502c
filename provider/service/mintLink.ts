import { MalformedResponseError } from "../runtime/messages/errors";
import type { Tracer } from "../runtime/tracing/tracer";
import type { Reporter } from "../runtime/messages/reporter";
import type { Client } from "./client";
import { type BundleLink, SHORT_LIFE_MS, isShort } from "./bundleLink";

/** The parts of a context that minting a link needs. */
interface MintContext {
  readonly client: Client;
  readonly reporter: Reporter;
  readonly tracer: Tracer;
}

/**
 * Mints a link to the bundle of a completed job. If the link has expired or is about to expire, it mints a second one.
 *
 * @param domain the site of the job
 * @throws InputError for a job of another site; MalformedResponseError if the second link has expired by the service's own clock;
 *   any other DocsHostingError
 */
export function mintLink(jobId: string, domain: string, context: MintContext): Promise<BundleLink> {
  const { tracer } = context;
  return tracer.span("docs_hosting.link.mint", { "docs_hosting.job.id": jobId }, async () => {
    const link = await usableLink(jobId, domain, context);
    const { expiresAtMs } = link;
    if (expiresAtMs !== undefined) {
      tracer.note({ "docs_hosting.link.expires_at": new Date(expiresAtMs).toISOString() });
    }
    return link;
  });
}

async function usableLink(
  jobId: string,
  domain: string,
  { client, reporter }: MintContext,
): Promise<BundleLink> {
  const lifeMs = ({ expiresAtMs = Infinity, mintedAtMs }: BundleLink): number => expiresAtMs - mintedAtMs;
  let link = await client.createBundle(jobId, domain);
  if (isShort(lifeMs(link))) link = await client.createBundle(jobId, domain);
  if (link.expiresAtMs === undefined) {
    reporter.warn(
      `the service does not say when the link to job ${jobId} expires: it is renewed only when an input changes`,
    );
  } else if (lifeMs(link) <= 0 && client.clockAheadMs !== undefined) {
    throw new MalformedResponseError(
      `the service minted a link for job ${jobId} that has expired already`,
      "Report this to the service's support: its own clock says so.",
    );
  } else if (lifeMs(link) <= 0) {
    // without a Date header it is unknown whose clock is wrong: the storage decides
    reporter.warn(
      `by this machine's clock the link to job ${jobId} has expired already; the service does not send its time, so check the clock`,
    );
  } else if (isShort(lifeMs(link))) {
    reporter.warn(
      `the link to job ${jobId} expires within ${SHORT_LIFE_MS / 1_000} seconds; the next \`pulumi up\` renews it`,
    );
  }
  return link;
}
