import { type BucketStub, stubError } from "./bucketStub.ts";

/** How a store differs from Amazon's, as users have reported it. */
export type BucketQuirk = BucketStub["rule"];

const checksumIn = (headers: object): string | undefined =>
  Object.keys(headers).find((name) => /^x-amz-(?:checksum-|sdk-checksum|trailer)/.test(name));

/** Quirks with which copies work. */
export const BUCKET_QUIRKS = {
  none: () => undefined,
  "Backblaze B2: no header about checksums": ({ method, headers }) => {
    const name = checksumIn(headers);
    if (name === undefined) return undefined;
    // the answer to HEAD has no body
    return method === "HEAD"
      ? { status: 400 }
      : stubError(400, "InvalidArgument", `Unsupported header '${name}' received for this API call.`);
  },
  "501 to checksums of content": ({ method, headers }) =>
    method !== "HEAD" && checksumIn(headers) !== undefined
      ? stubError(
          501,
          "NotImplemented",
          "A header you provided implies functionality that is not implemented.",
        )
      : undefined,
  "no removal of several objects": ({ method, query }) =>
    method === "POST" && query.has("delete") ? stubError(501, "NotImplemented") : undefined,
  "an answer to the removal of several objects that names none": ({ method, query }) =>
    method === "POST" && query.has("delete") ? { status: 200, body: "" } : undefined,
  "no checksum but MD5 of several objects to remove": ({ method, query, headers }) =>
    method === "POST" &&
    query.has("delete") &&
    (headers["content-md5"] === undefined || checksumIn(headers) !== undefined)
      ? stubError(400, "InvalidRequest", "Missing required header for this request: Content-MD5")
      : undefined,
  "no list of uploads": ({ method, key, query }) =>
    method === "GET" && key === "" && query.has("uploads") ? stubError(501, "NotImplemented") : undefined,
} satisfies Readonly<Record<string, BucketQuirk>>;

/** Quirks that need a setting, and the remedy that names it. */
export const REFUSING_STORES = {
  "Alibaba OSS: no bucket in the path": [
    () => stubError(403, "SecondLevelDomainForbidden", "Please use virtual hosted style to access."),
    /`pathStyle` to false/,
  ],
  "a policy that requires an encryption": [
    ({ method, query, headers }) =>
      method === "PUT" && !query.has("partNumber") && headers["x-amz-server-side-encryption"] === undefined
        ? stubError(403, "AccessDenied", "Access Denied")
        : undefined,
    /set the destination's `encryption`/,
  ],
  "an access key that it does not know": [
    ({ method }) => (method === "HEAD" ? { status: 403 } : stubError(403, "InvalidAccessKeyId")),
    /AWS_ACCESS_KEY_ID/,
  ],
  "a wrong clock": [
    ({ method }) => (method === "HEAD" ? { status: 403 } : stubError(403, "RequestTimeTooSkewed")),
    /Set this machine's clock/,
  ],
  "a cap of its storage": [
    ({ method }) =>
      method === "PUT"
        ? stubError(403, "AccessDenied", "Cannot upload files, storage cap exceeded.")
        : undefined,
    /raise the limit/,
  ],
} satisfies Readonly<Record<string, readonly [BucketQuirk, RegExp]>>;
