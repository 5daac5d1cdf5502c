import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

export interface BundleLinksOptions {
  /** Address under which clients reach the service, without a slash at the end. */
  publicUrl: () => string;
  /** Milliseconds for which a link works. */
  linkLifetimeMs: number;
  /** Milliseconds since 1970. */
  now: () => number;
  /** Makes two links of the same moment different. */
  newId: () => string;
}

/** Presigned links: anybody who has one may download without a key until it expires. */
export class BundleLinks {
  readonly #options: BundleLinksOptions;
  /** Links end with the service, as its jobs do. */
  readonly #secret = randomBytes(32);

  constructor(options: BundleLinksOptions) {
    this.#options = options;
  }

  mint(jobId: string): { bundleUrl: string; expiresAt: string } {
    const { publicUrl, linkLifetimeMs, now, newId } = this.#options;
    const expiresMs = now() + linkLifetimeMs;
    const path = `/bundles/${encodeURIComponent(jobId)}.tar.gz`;
    const query = new URLSearchParams({ expires: String(expiresMs), nonce: newId() });
    query.set("signature", this.#sign(jobId, query));
    return {
      bundleUrl: `${publicUrl()}${path}?${query.toString()}`,
      expiresAt: new Date(expiresMs).toISOString(),
    };
  }

  /** The reason why the link may not be used, or undefined when it may. */
  refuse(jobId: string, query: URLSearchParams): string | undefined {
    const given = Buffer.from(query.get("signature") ?? "");
    const expected = Buffer.from(this.#sign(jobId, query));
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return "the link is not valid";
    return this.#options.now() < Number(query.get("expires")) ? undefined : "the link has expired";
  }

  #sign(jobId: string, query: URLSearchParams): string {
    const signed = JSON.stringify([jobId, query.get("expires"), query.get("nonce")]);
    return createHmac("sha256", this.#secret).update(signed).digest("hex");
  }
}
