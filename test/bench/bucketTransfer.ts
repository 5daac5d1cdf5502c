// One upload in a process of its own, for `bucket.ts`. Arguments: who, endpoint, file, its SHA-256.
// Prints milliseconds and the highest resident memory in MiB. «nobody» only loads the SDK.
import { createReadStream, readFileSync } from "node:fs";
import { S3Client } from "@aws-sdk/client-s3";
import { Upload } from "@aws-sdk/lib-storage";
import { beginCopy } from "../copies/builtBucket.ts";

const [who = "", endpoint = "", path = "", sha256 = ""] = process.argv.slice(2);

async function byUs(): Promise<void> {
  // an archive needs no scratch folder
  const draft = await beginCopy({ bucket: "docs", prefix: "ours", endpoint }, { path, sha256 }, "");
  await draft.publish();
}

async function byLibStorage(): Promise<void> {
  const client = new S3Client({ endpoint, region: "us-east-1", forcePathStyle: true });
  await new Upload({
    client,
    params: {
      Bucket: "docs",
      Key: `theirs/${sha256}`,
      Body: createReadStream(path),
      ChecksumAlgorithm: "SHA256",
    },
    partSize: 8 * 1024 * 1024,
    queueSize: 4,
  }).done();
  client.destroy();
}

const startedAt = performance.now();
if (who === "ours") await byUs();
if (who === "lib-storage") await byLibStorage();
// not `resourceUsage`, which includes the parent's memory at the start of this process
const peakKib = Number(/^VmHWM:\s*(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1]);
console.log(JSON.stringify({ ms: performance.now() - startedAt, peakMiB: peakKib / 1024 }));
