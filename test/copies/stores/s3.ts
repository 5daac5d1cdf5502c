import { once } from "node:events";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { createServer, request as httpRequest } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutBucketPolicyCommand,
  PutBucketWebsiteCommand,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import { type TestContext, vi } from "vitest";
import { startServer } from "../server.ts";
import { type Answers, pass, startSpoilingProxy } from "./spoilingProxy.ts";
import type { BucketStore, StoreKind } from "./store.ts";

export const ACCESS_KEY = "AKTEST";
export const SECRET = "the-secret-of-the-tests";
export const BUCKET = "docs";
const WEBSITE_DOMAIN = "sites.test";

/** versitygw, which keeps objects as files. */
export interface S3Store extends BucketStore {
  readonly client: S3Client;
  /** The address at which the store serves buckets as websites, each by its own name. */
  readonly websiteSocket: string;
}

export const s3: StoreKind = {
  name: "s3",
  environment: {
    AWS_ACCESS_KEY_ID: ACCESS_KEY,
    AWS_SECRET_ACCESS_KEY: SECRET,
    AWS_EC2_METADATA_DISABLED: "true",
    AWS_CONFIG_FILE: "/nowhere",
    AWS_SHARED_CREDENTIALS_FILE: "/nowhere",
  },
  secret: "AWS_SECRET_ACCESS_KEY",
  compareMethods: ["HEAD", "GET"],
  checksum: { whole: /^[^-]+=$/, parts: /=-5$/ },
  hasKeysBesideFolders: false,
  removesLists: true,
  refusals: [
    { name: "no such bucket", place: { bucket: "nowhere" }, message: /^there is no bucket nowhere/ },
    {
      name: "an access key that is unknown",
      environment: { AWS_ACCESS_KEY_ID: "AKOTHER" },
      message: /s3:GetObject on s3:.* is not allowed|does not know the access key/,
    },
    {
      name: "another secret",
      environment: { AWS_SECRET_ACCESS_KEY: "some-other-secret" },
      message: /s3:GetObject on s3:.* is not allowed|does not accept the secret/,
    },
    {
      name: "no credentials",
      environment: { AWS_ACCESS_KEY_ID: undefined, AWS_SECRET_ACCESS_KEY: undefined },
      message: /^no credentials for the bucket docs were found/,
    },
  ],
  start: startS3,
};

/** Starts a store with one bucket, until the test ends. @param host address at which it is reached */
export async function startS3(
  context: Pick<TestContext, "onTestFinished">,
  host = "127.0.0.1",
): Promise<S3Store> {
  const folder = await mkdtemp(join(tmpdir(), "bucket-"));
  await mkdir(join(folder, "data"));
  const socketPath = join(folder, "s3");
  const websiteSocket = join(folder, "www");
  const server = await startServer(
    process.env["VERSITYGW"] ?? "versitygw",
    [
      ...["--port", socketPath, "--keep-alive"],
      ...["--website", websiteSocket, "--website-domain", WEBSITE_DOMAIN],
      ...["posix", join(folder, "data")],
    ],
    { ROOT_ACCESS_KEY: ACCESS_KEY, ROOT_SECRET_KEY: SECRET },
    /Website endpoint listening/,
  );
  context.onTestFinished(async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });
  await vi.waitFor(() => accepts(socketPath), { timeout: 20_000 }); // the website endpoint may be the first
  const answer = (status: number, code: string): Answers["denied"] => ({
    status,
    headers: { "content-type": "application/xml" },
    body: `<Error><Code>${code}</Code><Message>Said so.</Message></Error>`,
  });
  const answers = { slowDown: answer(503, "SlowDown"), denied: answer(403, "AccessDenied") };
  const proxy = await startSpoilingProxy(context, { socketPath }, `/${BUCKET}/`, answers, host);
  const { origin: endpoint } = proxy;
  const client = new S3Client({
    endpoint,
    region: "us-east-1",
    forcePathStyle: true,
    credentials: { accessKeyId: ACCESS_KEY, secretAccessKey: SECRET },
  });
  context.onTestFinished(() => client.destroy());
  await client.send(new CreateBucketCommand({ Bucket: BUCKET }));
  proxy.requests.length = 0;
  return Object.assign(proxy, seenBy(client), {
    endpoint,
    client,
    websiteSocket,
    place: { bucket: BUCKET, endpoint },
    uri: `s3://${BUCKET}`,
    address: `${endpoint}/${BUCKET}`,
  });
}

function seenBy(
  client: S3Client,
): Pick<BucketStore, "put" | "remove" | "setHeaders" | "read" | "keys" | "openUploads" | "leaveUpload"> {
  const named = (key: string): { Bucket: string; Key: string } => ({ Bucket: BUCKET, Key: key });
  return {
    async put(key, content) {
      await client.send(new PutObjectCommand({ ...named(key), Body: content }));
    },
    async remove(key) {
      await client.send(new DeleteObjectCommand(named(key)));
    },
    // written anew: Amazon gives a copy onto itself a new time, and versitygw keeps the old one
    async setHeaders(key, headers) {
      const { Body, ContentType, CacheControl, ContentEncoding, ContentDisposition, Metadata } =
        await client.send(new GetObjectCommand(named(key)));
      await client.send(
        new PutObjectCommand({
          ...named(key),
          Body: (await Body?.transformToByteArray()) ?? "",
          ContentType: headers.contentType ?? ContentType,
          CacheControl: headers.cacheControl ?? CacheControl,
          ContentEncoding: headers.contentEncoding ?? ContentEncoding,
          ContentDisposition: headers.contentDisposition ?? ContentDisposition,
          Metadata,
        }),
      );
    },
    async read(key) {
      const found = await client.send(new GetObjectCommand({ ...named(key), ChecksumMode: "ENABLED" }));
      return {
        content: Buffer.from((await found.Body?.transformToByteArray()) ?? []),
        contentType: found.ContentType,
        cacheControl: found.CacheControl,
        contentEncoding: found.ContentEncoding,
        contentDisposition: found.ContentDisposition,
        metadata: found.Metadata,
        checksum: found.ChecksumSHA256,
      };
    },
    async keys(prefix = "") {
      const { Contents = [] } = await client.send(
        new ListObjectsV2Command({ Bucket: BUCKET, Prefix: prefix }),
      );
      return Contents.map(({ Key = "" }) => Key);
    },
    async openUploads() {
      const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: BUCKET }));
      return Uploads.map(({ Key = "" }) => Key);
    },
    async leaveUpload(key, parts, sha256) {
      const { UploadId } = await client.send(
        new CreateMultipartUploadCommand({
          ...named(key),
          ChecksumAlgorithm: "SHA256",
          ...(sha256 !== undefined && { Metadata: { sha256 } }),
        }),
      );
      for (const [at, Body] of parts.entries()) {
        const part = { UploadId, PartNumber: at + 1, Body, ChecksumAlgorithm: "SHA256" } as const;
        await client.send(new UploadPartCommand({ ...named(key), ...part }));
      }
    },
  };
}

/**
 * Makes the bucket a website that anybody may read, until the test ends. A proxy before it adds the slash of a folder to an
 * address, as Amazon's own websites do (see «Configuring an index document» of its guide) and this store's do not.
 *
 * @param notFound key of the page for missing addresses
 * @returns its address
 */
export async function openWebsite(
  context: Pick<TestContext, "onTestFinished">,
  { client, websiteSocket: socketPath }: S3Store,
  notFound: string,
): Promise<string> {
  await client.send(
    new PutBucketWebsiteCommand({
      Bucket: BUCKET,
      WebsiteConfiguration: { IndexDocument: { Suffix: "index.html" }, ErrorDocument: { Key: notFound } },
    }),
  );
  const Resource = `arn:aws:s3:::${BUCKET}/*`;
  const Statement = [{ Effect: "Allow", Principal: "*", Action: "s3:GetObject", Resource }];
  const Policy = JSON.stringify({ Version: "2012-10-17", Statement });
  await client.send(new PutBucketPolicyCommand({ Bucket: BUCKET, Policy }));
  const host = `${BUCKET}.${WEBSITE_DOMAIN}`;
  const isThere = (path: string): Promise<boolean> =>
    new Promise((resolve, reject) => {
      httpRequest({ socketPath, method: "HEAD", path, headers: { host } })
        .on("error", reject)
        .on("response", (answer) => resolve(answer.resume().statusCode === 200))
        .end();
    });
  const site = createServer((incoming, outgoing) => {
    const [path = ""] = incoming.url?.split("?") ?? [];
    void Promise.all([isThere(path), isThere(`${path}/`)]).then(([isFile, isFolder]) => {
      if (!isFile && isFolder && !path.endsWith("/")) {
        return void outgoing.writeHead(302, { location: `${path}/` }).end();
      }
      incoming.headers.host = host;
      pass(incoming, outgoing, { socketPath }, undefined);
    });
  });
  await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
  context.onTestFinished(() => site.close().closeAllConnections());
  return `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
}

/** Throws until a server accepts connections. */
async function accepts(socket: string): Promise<void> {
  const connection = connect(socket);
  try {
    await once(connection, "connect");
  } finally {
    connection.destroy();
  }
}
