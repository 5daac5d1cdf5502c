import type { Readable } from "node:stream";
import type { S3 } from "@aws-sdk/client-s3";
import { DIGEST_NAME, type NewObject, type Revision, type SendOptions } from "../objectStore";
import { contentMd5 } from "./checksums";
import { encodeKey } from "./inputs";

/** A request of the SDK. */
interface SdkRequest {
  readonly path: string;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

interface SdkAnswer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readable;
}

/** How the SDK signs a request. */
interface Scheme {
  readonly httpAuthOption: { readonly schemeId: string; readonly signingProperties?: object };
  readonly identity: object;
  readonly signer: {
    sign(request: SdkRequest, identity: object, signingProperties: object): Promise<SdkRequest>;
  };
}

/** An object that the SDK has sent: others are sent like it. */
interface Sample {
  readonly request: SdkRequest;
  /** The request's path without the object's key. */
  readonly root: string;
  /** Headers that all objects have. */
  readonly headers: Readonly<Record<string, string>>;
  readonly scheme: Scheme;
}

/** The signature of every region; not that of several regions at once, nor that of directory buckets. */
const SCHEME = "aws.auth#sigv4";

/** Headers that each object, attempt or signature has its own of. */
const OWN_HEADERS =
  /^(?:authorization|content-.*|cache-control|expect|if-.*|transfer-encoding|amz-sdk-.*|x-amz-(?:date|trailer|decoded-.*|content-sha256|security-token|s3session-token|meta-.*|(?:sdk-)?checksum-.*))$/;

/** After so many failures in a run, the SDK sends everything: this store or network is not for it. */
const MOST_FAILURES = 100;

/**
 * Sends small objects as the SDK has sent one, signed and transported by the SDK's own signer and handler, but without its middleware,
 * which takes most of the time of a small request. Whatever is not a plain success, the SDK does again, with retries and errors.
 */
export function directPut(s3: S3, signal: AbortSignal) {
  let sample: Sample | undefined;
  let failures = 0;
  // one listener for all requests, since each listener costs more than a signature
  const stop = (): void => s3.destroy();
  signal.addEventListener("abort", stop, { once: true });
  s3.middlewareStack.add(
    (next, context) => async (args) => {
      const result = await next(args);
      const { __smithy_context: noted } = context as {
        __smithy_context?: { selectedHttpAuthScheme?: Scheme };
      };
      const { input, request } = args as unknown as { input: { Key?: string }; request: SdkRequest };
      if (context.commandName === "PutObjectCommand")
        sample = sampleOf(request, input.Key ?? "", noted?.selectedHttpAuthScheme) ?? sample;
      return result;
    },
    { step: "finalizeRequest", priority: "low", name: "docsHostingSample" }, // it sees the signed request
  );

  return {
    /**
     * Sends an object.
     *
     * @param content whose SHA-256 may be another one: the store then refuses it
     * @returns its revision; `undefined` if the SDK is to send it, also if its answer was lost
     */
    async send(
      object: NewObject,
      content: Buffer,
      onlyIf: SendOptions["onlyIf"],
      hasChecksum: boolean,
    ): Promise<Revision | undefined> {
      if (sample === undefined || failures >= MOST_FAILURES || content.length !== object.size)
        return undefined;
      try {
        const { signer, identity, httpAuthOption } = sample.scheme;
        const signed = await signer.sign(
          requestOf(sample, object, content, onlyIf, hasChecksum),
          identity,
          httpAuthOption.signingProperties ?? {},
        );
        const { response } = (await s3.config.requestHandler.handle(signed as never, {})) as {
          response: SdkAnswer;
        };
        response.body.resume();
        const { etag } = response.headers;
        if (response.statusCode === 200 && etag !== undefined) return etag;
      } catch {
        // the SDK finds out what is wrong
      }
      failures++;
      sample = undefined;
      return undefined;
    },
    /** The connections end with the SDK's client. */
    close: (): void => signal.removeEventListener("abort", stop),
  };
}

/** What others are sent like; `undefined` for a request that is not as expected. */
function sampleOf(request: SdkRequest, name: string, scheme: Scheme | undefined): Sample | undefined {
  const key = encodeKey(name);
  if (key === "" || scheme?.httpAuthOption.schemeId !== SCHEME) return undefined;
  const isKnown = Object.keys(request.query ?? {}).every((each) => each === "x-id");
  if (!request.path.endsWith(`/${key}`) || !isKnown || request.headers["x-amz-s3session-token"])
    return undefined;
  const shared = Object.entries(request.headers).filter(([each]) => !OWN_HEADERS.test(each.toLowerCase()));
  return { request, root: request.path.slice(0, -key.length), headers: Object.fromEntries(shared), scheme };
}

function requestOf(
  { request, root, headers }: Sample,
  { key, size, sha256, headers: { contentType, cacheControl, contentEncoding } }: NewObject,
  content: Buffer,
  onlyIf: SendOptions["onlyIf"],
  hasChecksum: boolean,
): SdkRequest {
  const Request = request.constructor as new (fields: Partial<SdkRequest>) => SdkRequest;
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
  return new Request({ ...request, path, query: {}, headers: { ...headers, ...own }, body: content });
}
