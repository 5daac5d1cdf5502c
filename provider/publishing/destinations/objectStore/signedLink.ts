import type { CopyLink, DestinationContext } from "../destination";

/**
 * Signs a link, and registers it as a secret. Signatures have no milliseconds.
 *
 * @param sign signs a link that is valid from one time to another; `latestMs`: when it ends at the latest, because of what signs it
 */
export async function signedLink(
  { clock, secrets }: DestinationContext,
  lifeMs: number,
  sign: (nowMs: number, endMs: number) => Promise<{ url: string; latestMs?: number | undefined }>,
): Promise<CopyLink> {
  const nowMs = Math.floor(clock.now() / 1_000) * 1_000;
  const endMs = nowMs + Math.floor(lifeMs / 1_000) * 1_000;
  const { url, latestMs = Infinity } = await sign(nowMs, endMs);
  secrets.addLink(url);
  return { url, expiresAtMs: Math.min(endMs, latestMs) };
}
