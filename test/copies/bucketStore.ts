import { createHash, randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, request as httpRequest, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  CreateBucketCommand,
  PutBucketPolicyCommand,
  PutBucketWebsiteCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import { type TestContext, vi } from "vitest";
import type { Bundle } from "../../provider/site/inspection/bundle.ts";
import type { DestinationContext } from "../../provider/copies/destinations/destination.ts";
import { startDeadline, systemClock } from "../../provider/runtime/time/clock.ts";
import { startServer } from "./server.ts";
import { Traffic } from "./traffic.ts";
import { Secrets } from "../../provider/runtime/messages/secrets.ts";
import { OWNER } from "../simulation/owners.ts";

export const ACCESS_KEY = "AKTEST";
export const SECRET = "the-secret-of-the-tests";
export const BUCKET = "docs";
const WEBSITE_DOMAIN = "sites.test";

/** A request as it reached the store. */
export interface SeenRequest {
  readonly method: string;
  /** Below the bucket. */
  readonly key: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage["headers"];
}

/** Faults of a request. */
export type Spoiled =
  /** The store answers that it is too busy. */
  | "slowDown"
  /** The connection ends after a part of the body. */
  | "cut"
  /** The store executes it, but its answer is lost. */
  | "lost"
  /** Nothing happens any more. */
  | "stuck"
  /** One byte of the body is changed. */
  | "changed"
  | undefined;

/** A bucket in a store on this machine, behind a proxy that adds the given faults. */
export interface BucketStore {
  readonly endpoint: string;
  /** For reading the bucket as others do. */
  readonly client: S3Client;
  /** All requests so far. */
  readonly requests: readonly SeenRequest[];
  readonly traffic: Traffic;
  /** Chooses the fault of each request. */
  spoil: (request: SeenRequest) => Spoiled;
  /** The address at which the store serves buckets as websites, each by its own name. */
  readonly websiteSocket: string;
}

/**
 * Starts a store with one bucket, until the test ends.
 *
 * @param host address at which it is reached
 */
export async function startStore(
  context: Pick<TestContext, "onTestFinished">,
  host = "127.0.0.1",
): Promise<BucketStore> {
  const folder = await mkdtemp(join(tmpdir(), "bucket-"));
  await mkdir(join(folder, "data"));
  const socket = join(folder, "s3");
  const websiteSocket = join(folder, "www");
  const server = await startServer(
    process.env["VERSITYGW"] ?? "versitygw",
    [
      ...["--port", socket, "--keep-alive"],
      ...["--website", websiteSocket, "--website-domain", WEBSITE_DOMAIN],
      ...["posix", join(folder, "data")],
    ],
    { ROOT_ACCESS_KEY: ACCESS_KEY, ROOT_SECRET_KEY: SECRET },
    /Website endpoint listening/,
  );
  await vi.waitFor(() => accepts(socket), { timeout: 20_000 }); // the website endpoint may be the first
  const requests: SeenRequest[] = [];
  const traffic = new Traffic();
  const store: Pick<BucketStore, "spoil"> = { spoil: () => undefined };
  const proxy = createServer((incoming, outgoing) => {
    const url = new URL(incoming.url ?? "", "http://store");
    const seen: SeenRequest = {
      method: incoming.method ?? "",
      key: decodeURIComponent(url.pathname).slice(`/${BUCKET}/`.length),
      query: url.searchParams,
      headers: incoming.headers,
    };
    requests.push(seen);
    traffic.passed({ requests: 1 });
    incoming.on("data", ({ length }: Buffer) => traffic.passed({ bytes: length }));
    pass(incoming, outgoing, socket, store.spoil(seen));
  });
  await new Promise<void>((resolve) => proxy.listen(0, host, resolve));
  const endpoint = `http://${host}:${(proxy.address() as AddressInfo).port}`;
  const client = new S3Client({
    endpoint,
    region: "us-east-1",
    forcePathStyle: true,
    credentials: { accessKeyId: ACCESS_KEY, secretAccessKey: SECRET },
  });
  context.onTestFinished(async () => {
    client.destroy();
    proxy.closeAllConnections();
    proxy.close();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });
  await client.send(new CreateBucketCommand({ Bucket: BUCKET }));
  requests.length = 0;
  return Object.assign(store, { endpoint, client, requests, traffic, websiteSocket });
}

function pass(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  socketPath: string,
  spoiled: Spoiled,
): void {
  if (spoiled === "stuck") return void incoming.resume();
  if (spoiled === "slowDown") {
    incoming.resume();
    outgoing.writeHead(503, { "content-type": "application/xml" });
    outgoing.end("<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>");
    return;
  }
  const { method, url, headers } = incoming;
  // its own connection: the store may just be closing one that is kept alive
  const forwarded = httpRequest({ socketPath, method, path: url, headers, agent: false });
  const drop = (): void => {
    forwarded.destroy();
    incoming.socket.destroy();
  };
  forwarded.on("error", drop);
  incoming.on("error", drop);
  outgoing.on("close", () => forwarded.destroy());
  forwarded.on("response", (answer) => {
    if (spoiled === "lost") {
      answer.resume().on("end", () => incoming.socket.destroy());
      return;
    }
    outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
    answer.pipe(outgoing);
  });
  incoming.on("data", (bytes: Buffer) => {
    if (spoiled === "cut") return drop();
    if (spoiled === "changed") bytes[0] = (bytes[0] ?? 0) ^ 1;
    if (!forwarded.write(bytes)) {
      incoming.pause();
      forwarded.once("drain", () => incoming.resume());
    }
  });
  incoming.on("end", () => forwarded.end());
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
  { client, websiteSocket }: BucketStore,
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
      httpRequest({ socketPath: websiteSocket, method: "HEAD", path, headers: { host } })
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
      pass(incoming, outgoing, websiteSocket, undefined);
    });
  });
  await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
  context.onTestFinished(() => site.close().closeAllConnections());
  return `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
}

/** A separate operation with a scratch folder, until the test ends. */
export async function operation(
  context: Pick<TestContext, "onTestFinished">,
  signal: AbortSignal = new AbortController().signal,
): Promise<DestinationContext & { readonly lines: string[] }> {
  const scratch = await mkdtemp(join(tmpdir(), "scratch-"));
  context.onTestFinished(() => rm(scratch, { recursive: true, force: true }));
  const lines: string[] = [];
  const say = (line: string): void => void lines.push(line);
  return {
    fetch: () => Promise.reject(new Error("nothing is fetched")),
    clock: systemClock,
    reporter: { progress: say, debug: say, info: say, warn: say },
    secrets: new Secrets(),
    signal,
    deadline: startDeadline(systemClock, 60_000),
    environment: (name) => process.env[name],
    scratch: () => Promise.resolve(scratch),
    owner: OWNER,
    lines,
  };
}

/** An archive with other bytes each time, which is never unpacked. */
export async function makeBundle(
  context: Pick<TestContext, "onTestFinished">,
  size: number,
): Promise<Bundle & { readonly content: Buffer }> {
  const folder = await mkdtemp(join(tmpdir(), "bundle-"));
  context.onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const content = randomBytes(size);
  const path = join(folder, randomUUID());
  await writeFile(path, content);
  const sha256 = createHash("sha256").update(content).digest("hex");
  return { path, format: "tar.gz", sha256, size, version: "1", content };
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
