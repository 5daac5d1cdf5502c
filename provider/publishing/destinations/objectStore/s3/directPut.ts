import type { Readable } from "node:stream";
import type { S3 } from "@aws-sdk/client-s3";
import type { Clock } from "../../../../base/runtime/time/clock";
import { DIGEST_NAME, type NewObject, type Revision, type SendOptions } from "../objectStore";
import { contentMd5 } from "./checksums";
import { encodeKey } from "./inputs";

/** A request of the SDK, as its middleware and its handler have it. */
interface SdkRequest {
  readonly method: string;
  readonly protocol: string;
  readonly hostname: string;
  readonly path: string;
  readonly query: Record<string, string | null>;
  readonly headers: Record<string, string>;
  readonly body?: unknown;
}

interface SdkReply {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readable;
}

/** An object that the SDK has sent: others are sent like it. */
interface Sample {
  readonly request: SdkRequest;
  /** The request's path without the object's key. */
  readonly root: string;
  /** Headers that all objects have. */
  readonly headers: Readonly<Record<string, string>>;
  /** What the SDK signed it for. */
  readonly scope: SigningScope;
}

interface SigningScope {
  readonly signingRegion: string;
  readonly signingService: string;
}

/** The signature of one region; not that of several regions at once. */
const SCOPE =
  /^AWS4-HMAC-SHA256 Credential=[^,]*\/\d{8}\/(?<signingRegion>[^/,]+)\/(?<signingService>[^/,]+)\/aws4_request,/;

/** Headers that each object, attempt or signature has its own of. */
const OWN_HEADERS =
  /^(?:authorization|content-.*|cache-control|expect|if-.*|transfer-encoding|amz-sdk-.*|x-amz-(?:date|trailer|decoded-.*|content-sha256|security-token|s3session-token|meta-.*|(?:sdk-)?checksum-.*))$/;

/** After so many failures in a run, the SDK sends everything: this store or network is not for it. */
const MOST_FAILURES = 100;

/** Sends small objects without the SDK's middleware. */
export interface DirectPut {
  /**
   * Sends an object.
   *
   * @param content whose SHA-256 may be another one: the store then refuses it
   * @returns its revision; `undefined` if the SDK is to send it, also if its reply was lost
   */
  send(
    object: NewObject,
    content: Buffer,
    onlyIf: SendOptions["onlyIf"],
    hasChecksum: boolean,
  ): Promise<Revision | undefined>;
  /** The connections end with the SDK's client. */
  close(): void;
}

/**
 * Sends small objects as the SDK has sent one, signed and transported by the signer and the handler of its configuration, but without its
 * middleware, which takes most of the time of a small request. Whatever is not a plain success, the SDK does again, with retries and
 * errors.
 */
export function directPut(s3: S3, signal: AbortSignal, clock: Pick<Clock, "now">): DirectPut {
  let sample: Sample | undefined;
  let failures = 0;
  // one listener for all requests, since each listener costs more than a signature
  const stop = (): void => s3.destroy();
  signal.addEventListener("abort", stop, { once: true });
  s3.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const result = await next(args);
        const { input, request } = args as { readonly input: { Key?: string }; readonly request: unknown };
        if (commandName === "PutObjectCommand") {
          sample = sampleOf(request as SdkRequest, input.Key ?? "") ?? sample;
        }
        return result;
      },
    { step: "finalizeRequest", priority: "low", name: "docsHostingSample" }, // it sees the signed request
  );

  /** A signer renews the credentials itself. */
  const signers = new Map<string, ReturnType<S3["config"]["signer"]>>();

  async function signed(request: SdkRequest, { signingRegion, signingService }: SigningScope) {
    const { config } = s3;
    const scope = { name: "sigv4", signingName: signingService, signingRegion, properties: {} };
    const name = `${signingRegion}/${signingService}`;
    const signer = signers.get(name) ?? config.signer(scope);
    signers.set(name, signer);
    // the clock of the store, as the SDK knows it from its replies
    const signingDate = new Date(clock.now() + config.systemClockOffset);
    return (await signer).sign(request, { signingDate, signingRegion, signingService });
  }

  return {
    async send(object, content, onlyIf, hasChecksum) {
      if (sample === undefined || failures >= MOST_FAILURES || content.length !== object.size) {
        return undefined;
      }
      try {
        const request = await signed(requestOf(sample, object, content, onlyIf, hasChecksum), sample.scope);
        const { response } = (await s3.config.requestHandler.handle(request, {})) as { response: SdkReply };
        response.body.resume();
        const { etag } = response.headers;
        if (response.statusCode === 200 && etag !== undefined) return etag;
      } catch {
        // the SDK finds out what is wrong
      }
      failures++;
      sample = undefined;
      signers.clear();
      return undefined;
    },
    close: (): void => signal.removeEventListener("abort", stop),
  };
}

/** What others are sent like; `undefined` for a request that is not as expected. */
function sampleOf(request: SdkRequest, name: string): Sample | undefined {
  const key = encodeKey(name);
  const { authorization = "", ...others } = lowerCased(request.headers);
  const { signingRegion, signingService } = SCOPE.exec(authorization)?.groups ?? {};
  if (key === "" || signingRegion === undefined || signingService === undefined) return undefined;
  const isKnown = Object.keys(request.query).every((each) => each === "x-id");
  // directory buckets sign with the credentials of a session
  const isOfSession = others["x-amz-s3session-token"] !== undefined;
  if (!request.path.endsWith(`/${key}`) || !isKnown || isOfSession) return undefined;
  const shared = Object.entries(others).filter(([each]) => !OWN_HEADERS.test(each));
  return {
    request,
    root: request.path.slice(0, -key.length),
    headers: Object.fromEntries(shared),
    scope: { signingRegion, signingService },
  };
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function requestOf(
  { request, root, headers }: Sample,
  { key, size, sha256, headers: { contentType, cacheControl, contentEncoding } }: NewObject,
  content: Buffer,
  onlyIf: SendOptions["onlyIf"],
  hasChecksum: boolean,
): SdkRequest {
  const { ContentMD5: md5 } = hasChecksum ? {} : contentMd5(content);
  const own: Record<string, string> = {
    "content-type": contentType,
    "cache-control": cacheControl,
    ...(contentEncoding !== undefined && { "content-encoding": contentEncoding }),
    "content-length": String(size),
    "x-amz-content-sha256": sha256,
    [`x-amz-meta-${DIGEST_NAME}`]: sha256,
    ...(hasChecksum && {
      "x-amz-sdk-checksum-algorithm": "SHA256",
      "x-amz-checksum-sha256": Buffer.from(sha256, "hex").toString("base64"),
    }),
    ...(md5 !== undefined && { "content-md5": md5 }),
    ...(onlyIf && { "if-none-match": "*" }),
  };
  const path = root + encodeKey(key);
  return { ...request, path, query: {}, headers: { ...headers, ...own }, body: content };
}
