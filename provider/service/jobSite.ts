import { InputError } from "../runtime/messages/errors";
import { normaliseDomain } from "./domainName";

/** The site in a reply, if it differs from `domain`. A reply without a site, or with an invalid one, is not compared. */
export function otherSite(domain: string, body: Readonly<Record<string, unknown>>): string | undefined {
  if (typeof body["domain"] !== "string") return undefined;
  const named = normaliseDomain(body["domain"]);
  return "domain" in named && named.domain !== domain ? named.domain : undefined;
}

/** @throws InputError for a reply about the job of another site: nothing of that job may be used */
export function checkSite(domain: string, jobId: string, body: Readonly<Record<string, unknown>>): void {
  const other = otherSite(domain, body);
  if (other === undefined) return;
  throw new InputError(
    `job ${jobId} is an export of ${other}, not of ${domain}`,
    `Give the jobId of an export of ${domain}, or declare the domain ${other}.`,
  );
}
