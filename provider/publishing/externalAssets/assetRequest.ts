import { guardedLookup, isLoopback, type Lookup, refusedHost } from "../../base/http/address";
import { type AddressPolicy } from "../../base/http/addressPolicy";
import { attempt, type NetworkContext } from "../../base/http/attempt";
import { type Fault, parseRetryAfter, retryDelayMs } from "../../base/http/retryPolicy";
import { formatBytes } from "../../base/runtime/messages/formatBytes";
import { redact } from "../../base/runtime/messages/plainText";
import { sleep } from "../../base/runtime/time/clock";

/** Which addresses are requested: the settings for links hold here, too. */
export interface AssetPolicy extends AddressPolicy {
  /** Allows `http:`, to any host. */
  readonly allowInsecure: boolean;
}

/** What requests to other hosts need from the outside. */
export interface AssetNetwork extends NetworkContext {
  readonly policy: AssetPolicy;
  /** The proxy for a URL. @throws ConfigurationError */
  readonly proxyFor: (url: string) => URL | undefined;
  readonly lookup: Lookup;
}

/** How much one request may take. */
interface AssetLimits {
  /** Content in bytes. */
  readonly bytes: number;
  readonly redirects: number;
  /** Milliseconds that are left for all. */
  readonly remainingMs: () => number;
}

/** Content of another host. */
interface AssetContent {
  readonly bytes: Buffer;
  /** Its media type, as the host says, without parameters. */
  readonly type: string;
  /** The encoding that the host names. */
  readonly charset: string | undefined;
  /** Where it was in the end. */
  readonly url: URL;
}

/** Content of another host, or why there is none. */
type AssetReply = AssetContent | { readonly failure: string };

/**
 * Some hosts answer by the program that asks: Google Fonts sends the format that the reader's browser reads. Readers of a copy have
 * browsers, so the request names one.
 */
const USER_AGENT =
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 pulumi-docs-hosting";

/** How long a host may send nothing, and how long one file may take, in milliseconds. */
const SILENCE_MS = 15_000;
const ASSET_MS = 60_000;
/** How often a request is sent. */
const ATTEMPTS = 3;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** Statuses that may be others in a moment. */
const LATER = new Set([408, 425, 429, 500, 502, 503, 504]);

/** The hosts that never answered in this run: they are not asked for every file. */
export type SilentHosts = Map<string, string>;

/**
 * Requests a file of another host. The request has no cookie, no key and no referrer. A script is only stored.
 *
 * @param refused why an address that a redirect leads to is not wanted
 * @throws the signal's reason
 */
export async function requestAsset(
  url: URL,
  limits: AssetLimits,
  network: AssetNetwork,
  silent: SilentHosts,
  refused: (url: URL) => string | undefined,
): Promise<AssetReply> {
  let from: URL | undefined;
  for (let at = url, redirects = 0; ; redirects++) {
    const why = refusedUrl(at, network.policy, from);
    if (why !== undefined) return { failure: why };
    const unwanted = from && refused(at);
    if (unwanted !== undefined) return { failure: `it redirects to ${at.host}, and ${unwanted}` };
    const reply = await requestRepeatedly(at, limits, network, silent);
    if (!("next" in reply)) return reply;
    const next = reply.next === null ? null : URL.parse(reply.next, at.href);
    if (next === null || next.username || next.password) return { failure: "the host redirects to nowhere" };
    if (redirects >= limits.redirects) {
      return { failure: `the host redirects more than ${limits.redirects} times` };
    }
    network.secrets.addLink(next);
    [from, at] = [at, next];
  }
}

/** Why an address is not requested. @param from the address that redirects to it */
export function refusedUrl(url: URL, policy: AssetPolicy, from?: URL): string | undefined {
  const { protocol, hostname } = url;
  const where = from === undefined ? "" : `it redirects to ${url.host}, and `;
  const isHere = isLoopback(hostname);
  if (protocol !== "https:" && !(protocol === "http:" && (isHere || policy.allowInsecure))) {
    return `${where}${protocol} is not fetched, only https:`;
  }
  // a site that is fetched from another host must not reach this machine
  if (isHere && from !== undefined && !isLoopback(from.hostname)) return `${where}that is this machine`;
  if (url.username !== "" || url.password !== "") return `${where}an address with a login is not fetched`;
  const why = refusedHost(url, { publicStorageOnly: policy.publicStorageOnly || !isHere });
  return why === undefined ? undefined : `${where}${withoutSetting(why)}`;
}

const withoutSetting = (why: string): string =>
  why.replace(", and docs-hosting:publicStorageOnly is set", "").replace(/^is /, "it is ");

type Step = AssetReply | { readonly next: string | null };

async function requestRepeatedly(
  url: URL,
  limits: AssetLimits,
  network: AssetNetwork,
  silent: SilentHosts,
): Promise<Step> {
  const { clock, signal } = network;
  const { host } = url;
  for (let failures = 1; ; failures++) {
    signal.throwIfAborted();
    const known = silent.get(host);
    if (known !== undefined) return { failure: known };
    if (limits.remainingMs() <= 0) return { failure: TIME_IS_UP };
    const startedAt = clock.monotonic();
    const outcome = await requestOnce(url, limits, network);
    const isHanging = clock.monotonic() - startedAt >= SILENCE_MS;
    if ("step" in outcome) return outcome.step;
    const { failure, fault, isReached } = outcome;
    const delayMs = retryDelayMs(fault, failures, clock.random());
    if (failures < ATTEMPTS && !isHanging && delayMs < Math.min(limits.remainingMs(), ASSET_MS)) {
      await sleep(clock, delayMs, signal);
      continue;
    }
    if (!isReached && (isHanging || fault.kind !== "interrupted")) silent.set(host, failure);
    return { failure };
  }
}

/** Why nothing more is fetched. */
const TIME_IS_UP = "the time limit for all assets (fetchExternal.limits.time) passed";

/** What one request gave: a step, or a failure after which another one may succeed. */
type Outcome =
  { readonly step: Step } | { readonly failure: string; readonly fault: Fault; readonly isReached: boolean };

async function requestOnce(url: URL, limits: AssetLimits, network: AssetNetwork): Promise<Outcome> {
  const { clock, deadline, policy } = network;
  const { host, hostname } = url;
  const limitMs = Math.min(ASSET_MS, limits.remainingMs());
  const startedAt = clock.monotonic();
  const leftMs = (): number =>
    Math.min(deadline.remainingMs(), Math.max(0, limitMs - (clock.monotonic() - startedAt)));
  let refused: string | undefined;
  // the name of another host must not lead to this machine
  const addresses = { publicStorageOnly: policy.publicStorageOnly || !isLoopback(hostname) };
  const lookup = guardedLookup(network.lookup, addresses, (why) => (refused = why));
  const outcome = await attempt(
    { url: url.href, host, name: `GET ${url.protocol}//${host}` },
    { method: "GET", headers: { "user-agent": USER_AGENT, accept: "*/*" } },
    { ...network, deadline: { ...deadline, remainingMs: leftMs } },
    { silenceMs: SILENCE_MS, proxy: network.proxyFor(url.href), lookup },
    async (reply): Promise<Outcome> => {
      const { status, headers } = reply;
      if (REDIRECTS.has(status)) return { step: { next: headers.get("location") } };
      const failure = `the host answers with status ${status}`;
      if (LATER.has(status)) {
        const retryAfterMs = parseRetryAfter(headers.get("retry-after"), clock.now());
        return { failure, fault: { kind: "status", status, retryAfterMs }, isReached: true };
      }
      return { step: status === 200 ? await contentOf(url, reply, limits.bytes) : { failure } };
    },
  );
  if ("value" in outcome) return outcome.value;
  if (refused !== undefined) {
    const failure = `the host leads to ${withoutSetting(refused)}`;
    return { step: { failure } };
  }
  if (leftMs() <= 0) {
    const failure = limits.remainingMs() <= 0 ? TIME_IS_UP : `the host took more than ${ASSET_MS / 1_000}s`;
    return { step: { failure } };
  }
  const failure = `the host cannot be reached: ${redact(outcome.error.message, 200)}`;
  return { failure, fault: outcome.fault, isReached: false };
}

async function contentOf(
  url: URL,
  {
    headers,
    content,
  }: { headers: { get(name: string): string | null }; content: () => AsyncIterable<Uint8Array> },
  limitBytes: number,
): Promise<AssetReply> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  const tooLarge = { failure: `it has more than ${formatBytes(limitBytes)}` };
  const promised = Number(headers.get("content-length") ?? 0);
  if (promised > limitBytes) return tooLarge;
  for await (const piece of content()) {
    size += piece.length;
    if (size > limitBytes) return tooLarge;
    pieces.push(piece);
  }
  const bytes = Buffer.concat(pieces);
  const named = headers.get("content-type") ?? "";
  const type = named.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  const charset = /;[\t ]*charset[\t ]*=[\t ]*"?([^\s";]+)/i.exec(named)?.[1];
  return { bytes, type: redact(type, 100), charset, url };
}
