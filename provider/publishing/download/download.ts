import type { NetworkContext } from "../../base/http/attempt";
import { Retries } from "../../base/http/retries";
import { type FailedAttempt } from "../../base/http/retryPolicy";
import { inTurn } from "../../base/runtime/concurrency/inTurn";
import type { Semaphore } from "../../base/runtime/concurrency/semaphore";
import { diskFailure } from "../../base/runtime/files/diskFailure";
import { ELSEWHERE } from "../../base/runtime/files/homeFolder";
import { DocsHostingError, DownloadError } from "../../base/runtime/messages/errors";
import { formatBytes } from "../../base/runtime/messages/formatBytes";
import { endsWithin, unlessAborted } from "../../base/runtime/time/clock";
import { PartialDownload } from "./partialDownload";
import { receiverOf } from "./receiver";
import { MAX_ERROR_BYTES, readStoreReply, type RequestedRange, storeReason } from "./storeReply";
import { requestStore, type StoreNetwork } from "./storeRequest";

/** A link to a bundle that the service issued: a credential, never printed, never stored. */
/** A link to download from. */
interface MintedLink {
  /** A presigned URL: a credential, never shown. */
  readonly url: string;
  /** Size in bytes. Absent if it is not known. */
  readonly sizeBytes?: number | undefined;
}

/** The bundle to download, its source and its target. */
export interface DownloadRequest extends Pick<StoreNetwork, "policy" | "proxyFor"> {
  /** Folder that keeps partial downloads until they are complete, also between calls. Created with mode 0700. */
  readonly folder: string;
  /** Prefix of the partial download's file name. Different bundles have different prefixes, so that later calls find the right file. */
  readonly name: string;
  /** Requests a new link to the same bundle: at the start, and whenever the store refuses the previous one. */
  readonly mint: () => Promise<MintedLink>;
  /** Larger bundles are refused. */
  readonly limitBytes: number;
  /** What the bundle belongs to, in messages: `job 7f3a of docs.example.com`. */
  readonly subject: string;
}

/** What a download needs from the outside. */
export interface DownloadContext extends NetworkContext, Pick<StoreNetwork, "lookup"> {
  /** Limits the concurrent downloads of this process: each has a thread and some megabytes of memory. */
  readonly downloads: Semaphore;
}

/** A complete bundle. No other call uses this file. */
export interface Downloaded {
  readonly path: string;
  /** Hexadecimal digits. */
  readonly sha256: string;
  /** In bytes. */
  readonly size: number;
  /** Removes the file after use. Otherwise a later process finds it and need not download it again. */
  readonly remove: () => void;
  /** Leaves the file to the next call, even one of this process. */
  readonly release: () => void;
}

/**
 * How often a download restarts: for a bundle that changes constantly, or one without an ETag that never arrives in one piece.
 */
const MAX_RESTARTS = 5;

/**
 * How many new links in a row may be refused, and how many links may be requested in all, because links may expire during use.
 */
const MAX_REFUSED_LINKS = 2;
const MAX_LINKS = 100;

/**
 * How long the last bytes may take to reach the disk after a failed download, in milliseconds: a hanging disk must not delay
 * Ctrl-C.
 */
const CLOSE_LIMIT_MS = 1_000;

/** The remedy when the store cannot be reached or has a problem. */
const CHECK_NETWORK =
  "Check the network, and that the store is up and can be reached from here. The next `pulumi up` resumes the download.";

/**
 * Downloads a bundle. After a failure or a kill, the received bytes stay. The next call resumes the download if the store
 * proves by its ETag that the bundle is unchanged; otherwise it restarts.
 *
 * @throws DownloadError, ConnectionError, DestinationError of the folder, DeadlineExceededError, or what `mint` throws; each
 *   message reports how much had arrived. The signal's reason
 */
export async function download(request: DownloadRequest, context: DownloadContext): Promise<Downloaded> {
  context.signal.throwIfAborted();
  const work = (): Promise<Downloaded> => downloaded(request, context);
  return inTurn(context.downloads, work, context, "waiting for other downloads to end");
}

async function downloaded(request: DownloadRequest, context: DownloadContext): Promise<Downloaded> {
  const { folder, name, subject } = request;
  const { clock, signal } = context;
  let partial: PartialDownload | undefined;
  try {
    const mine = (partial = PartialDownload.claim(folder, name, subject, clock.now()));
    const sha256 = await receiveAll(mine, request, context);
    await mine.close();
    const { path, size } = mine;
    return {
      path,
      sha256,
      size,
      remove: () => mine.remove(),
      release: () => mine.release(),
    };
  } catch (given) {
    if (partial) {
      await endsWithin(partial.close(), clock, CLOSE_LIMIT_MS).catch(() => undefined);
      partial.release();
    }
    const error = diskFailure(given, folder, signal, ELSEWHERE);
    if (signal.aborted || !(error instanceof DocsHostingError)) throw error;
    const arrived = partial && partial.size > 0 ? `; ${formatBytes(partial.size)} had arrived` : "";
    throw error.withMessage(`the bundle of ${subject} was not downloaded: ${error.message}${arrived}`);
  }
}

type AttemptResult = "complete" | "incomplete" | "refused" | FailedAttempt;

/** Receives the bundle until it is complete. @returns the SHA-256 of the received bytes: hexadecimal digits */
async function receiveAll(
  partial: PartialDownload,
  request: DownloadRequest,
  context: DownloadContext,
): Promise<string> {
  const { clock, reporter, signal } = context;
  const newLink = (): Promise<MintedLink> => unlessAborted(request.mint(), signal);
  await unlessAborted(partial.open(), signal);
  let link = await newLink();
  let restarts = 0;
  let refusedLinks = 0;
  /** Links refused since the last received byte. */
  let refusedInARow = 0;
  const store = { name: "the store", isKnown: true, wasAnswered: false };
  const retries = new Retries(store, context, { name: "the request for the bundle", repetition: "read" });
  const receive = receiverOf(partial, request.limitBytes, context, (bytes) => {
    refusedInARow = 0;
    retries.moved(bytes);
  });

  const refused = (message: string): AttemptResult => {
    refusedLinks++;
    refusedInARow++;
    if (refusedInARow > MAX_REFUSED_LINKS || refusedLinks > MAX_LINKS) {
      throw new DownloadError(
        `${message}, to ${refusedInARow} new links in a row`,
        "Check that the clocks of the service and its store are right, and that the store serves this machine's address.",
      );
    }
    reporter.progress(`${message}; requesting a new link`);
    return "refused";
  };

  const restart = async (why: string): Promise<AttemptResult> => {
    if (++restarts > MAX_RESTARTS) {
      throw new DownloadError(
        `${why}; the download was restarted ${MAX_RESTARTS} times`,
        "Run `pulumi up` again when nothing changes the bundle. Without a strong ETag a download cannot be resumed: it needs a stable network.",
      );
    }
    reporter.progress(`${why}: the download restarts`);
    await partial.begin(undefined);
    return "incomplete";
  };

  /** Sends one request, and takes its reply. */
  const attempt = async ({ url, sizeBytes }: MintedLink): Promise<AttemptResult> => {
    const { size, note } = partial;
    const requested: RequestedRange = size > 0 && note ? { from: size, ...note } : { from: 0 };
    const outcome = await requestStore(
      url,
      // not If-Range: S3-compatible stores ignore it, and send the end of another bundle
      requested.etag === undefined ? {} : { range: `bytes=${requested.from}-`, "if-match": requested.etag },
      { ...request, ...context },
      async (reply, host): Promise<AttemptResult> => {
        const text = reply.status < 400 ? "" : (await reply.beginning(MAX_ERROR_BYTES)).toString();
        const reason = storeReason(text);
        const read = readStoreReply(reply, requested, reason, clock.now());
        const message = `the store ${host} answered ${reply.status}${reason && `: ${reason}`}`;
        switch (read.kind) {
          case "complete":
            return "complete";
          case "restart":
            return await restart(read.why);
          case "refused":
            return refused(message);
          case "later":
            return { fault: read.fault, error: new DownloadError(message, CHECK_NETWORK) };
          case "never":
            throw new DownloadError(`the store ${host} ${read.why}`, read.remedy);
          case "bytes":
            return await receive(read, reply, host, sizeBytes);
        }
      },
    );
    return "fault" in outcome ? outcome : outcome.value;
  };

  for (;;) {
    signal.throwIfAborted();
    const step = await attempt(link);
    if (step === "complete") return await unlessAborted(partial.finish(), signal);
    if (step === "refused") link = await newLink();
    if (typeof step === "string") continue;
    const { fault, error } = step;
    await retries.pause({ fault, error: error.withMessage(error.message, CHECK_NETWORK) });
    if (partial.size > 0 && !partial.note) await restart("the store gives no strong ETag");
  }
}
