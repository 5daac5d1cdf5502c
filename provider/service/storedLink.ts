/** What a state says of a link. Only the engine and its tools wrote it, but they may have damaged it. */
export interface StoredLink {
  readonly bundleUrl?: unknown;
  readonly expiresAt?: unknown;
  readonly renewAfter?: unknown;
}

/**
 * Whether a state has a link that dependants can use and whose renewal can be planned. Older CLIs write `null` for every secret
 * if they export a stack with a wrong passphrase.
 */
export function isStoredLink({ bundleUrl, expiresAt, renewAfter }: StoredLink): boolean {
  return isAddress(bundleUrl) && isTimeOrAbsent(expiresAt) && isTimeOrAbsent(renewAfter);
}

function isAddress(value: unknown): boolean {
  return typeof value === "string" && /^[a-z][a-z0-9+.-]*:\/\//i.test(value) && URL.canParse(value);
}

function isTimeOrAbsent(value: unknown): boolean {
  return value === undefined || (typeof value === "string" && !Number.isNaN(Date.parse(value)));
}
