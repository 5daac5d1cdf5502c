import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

/** What the store answers a download with. */
export interface StoredBundle {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** @param link path and query that were asked for */
export type Spoiler = (bundle: StoredBundle, link: string) => StoredBundle;

/** The object storage that the links lead to. It passes downloads on to the service, and keeps a record of them. */
export interface BundleStore {
  readonly url: string;
  /** Path and query of each download since the start. */
  readonly downloads: readonly string[];
  /** Where the bundles really are. */
  passOnTo(serviceUrl: string): void;
  /** Spoils downloads from now on; `undefined` ends that. A shorter body than `content-length` is cut off. */
  spoil(change: Spoiler | undefined): void;
  close(): Promise<void>;
}

/** @param host address on which the pods reach it */
export async function startBundleStore(host: string): Promise<BundleStore> {
  const downloads: string[] = [];
  let serviceUrl = "";
  let change: Spoiler | undefined;
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    downloads.push(path);
    void fetch(serviceUrl + path, { headers: forwarded(request.headers) }).then(
      async (reply) => {
        const headers = Object.fromEntries(reply.headers);
        delete headers["connection"];
        const stored = { status: reply.status, headers, body: Buffer.from(await reply.arrayBuffer()) };
        const bundle = change ? change(stored, path) : stored;
        response.writeHead(bundle.status, bundle.headers);
        const isCutOff = bundle.body.length < Number(bundle.headers["content-length"]);
        if (isCutOff) response.write(bundle.body, () => response.destroy());
        else response.end(bundle.body);
      },
      () => response.destroy(), // the service is down
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.on("error", reject);
    server.listen(0, host, resolve);
  });
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}`,
    downloads,
    passOnTo: (url) => (serviceUrl = url),
    spoil: (given) => (change = given),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** What a download may say: the range of it that is wanted. */
function forwarded(headers: IncomingHttpHeaders): Record<string, string> {
  const names = ["range", "if-range"];
  return Object.fromEntries(names.flatMap((name) => (headers[name] ? [[name, String(headers[name])]] : [])));
}
