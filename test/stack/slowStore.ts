// A store of one bundle, which stops in the middle of its first answer, and continues at the requested byte.
import { createHash, randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { create } from "tar";

/** Bytes of the bundle in the first answer. */
const FIRST_BYTES = 5_000_000;

export interface SlowStore {
  readonly url: string;
  readonly sha256: string;
  /** The headers `Range` and `Authorization` of each request. */
  readonly asked: readonly { range: string | undefined; authorization: string | undefined }[];
  close(): void;
}

/** @param folder in which the bundle is created */
export async function startSlowStore(folder: string): Promise<SlowStore> {
  const site = join(folder, "slow");
  mkdirSync(site);
  writeFileSync(join(site, "index.html"), "<h1>Slow</h1>");
  writeFileSync(join(site, "film.bin"), randomBytes(8_000_000));
  const file = join(folder, "slow.tar.gz");
  create({ file, cwd: site, gzip: true, portable: true, noMtime: true, sync: true }, [
    "index.html",
    "film.bin",
  ]);
  const bytes = readFileSync(file);
  rmSync(site, { recursive: true });
  const asked: SlowStore["asked"][number][] = [];
  const server = createServer(({ headers: { range, authorization, "if-match": match } }, response) => {
    asked.push({ range, authorization });
    const from = Number(/^bytes=(\d+)-$/.exec(range ?? "")?.[1] ?? 0);
    const head = { etag: '"one"', "accept-ranges": "bytes", "content-length": bytes.length - from };
    if (match !== undefined && match !== '"one"') return response.writeHead(412).end();
    if (from > 0) {
      const part = { ...head, "content-range": `bytes ${from}-${bytes.length - 1}/${bytes.length}` };
      return response.writeHead(206, part).end(bytes.subarray(from));
    }
    return response.writeHead(200, head).write(bytes.subarray(0, FIRST_BYTES));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/bundle`,
    sha256: createHash("sha256").update(bytes).digest("hex"),
    asked,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
