import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startServer } from "../copies/server.ts";
import { freePort } from "../programs/freePort.ts";
import { prepareVersitygw } from "../programs/goPrograms.ts";

/** A store with the bucket «docs», in a process of its own. */
export interface BucketServer {
  readonly endpoint: string;
  /** An empty folder for other files. */
  readonly folder: string;
  /** The environment of a client. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The number of requests so far. */
  readonly requests: () => Promise<number>;
  /** Removes all objects. */
  readonly empty: () => Promise<void>;
}

/** Starts a store for some work, and removes everything after it. */
export async function withBucketServer<T>(work: (server: BucketServer) => Promise<T>): Promise<T> {
  const program = await prepareVersitygw((what) => console.log(what));
  const folder = await mkdtemp(join(tmpdir(), "bench-bucket-"));
  const [data, log] = [join(folder, "data"), join(folder, "requests")];
  const bucket = join(data, "docs");
  await mkdir(bucket, { recursive: true });
  await mkdir(join(folder, "files"));
  const port = await freePort();
  const credentials = { accessKeyId: "AKBENCH", secretAccessKey: "the-secret-of-the-bench" };
  const server = await startServer(
    program,
    ["--port", `127.0.0.1:${port}`, "--keep-alive", "--access-log", log, "posix", data],
    { ROOT_ACCESS_KEY: credentials.accessKeyId, ROOT_SECRET_KEY: credentials.secretAccessKey },
    /service listening/,
  );
  try {
    return await work({
      endpoint: `http://127.0.0.1:${port}`,
      folder: join(folder, "files"),
      env: {
        PATH: process.env["PATH"],
        HOME: join(folder, "files"),
        AWS_ACCESS_KEY_ID: credentials.accessKeyId,
        AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
        AWS_REGION: "us-east-1",
        NODE_NO_WARNINGS: "1",
      },
      requests: async () => (await readFile(log, "latin1")).split("\n").length - 1,
      empty: async () => {
        await rm(bucket, { recursive: true, force: true });
        await mkdir(bucket);
      },
    });
  } finally {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
