// One push in its own process, for `push.ts`. Arguments: repository, OCI layout. Prints milliseconds, and the highest resident
// memory in MiB. Without a layout it only loads the code.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import fetch from "node-fetch";
import { Secrets } from "../../dist/provider/base/runtime/messages/secrets.js";
import { startDeadline, systemClock } from "../../dist/provider/base/runtime/time/clock.js";
import { rangesOfFile } from "../../dist/provider/publishing/images/registry/blobs.js";
import { RegistryClient } from "../../dist/provider/publishing/images/registry/client.js";
import { ensureBlob } from "../../dist/provider/publishing/images/registry/ensureBlob.js";
import { putManifest } from "../../dist/provider/publishing/images/registry/manifests.js";
import { parseRepository } from "../../dist/provider/publishing/images/registry/reference.js";

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

const [repository = "", layout = ""] = process.argv.slice(2);
const pathOf = (digest: string): string => join(layout, "blobs/sha256", digest.slice("sha256:".length));

async function pushLayout(): Promise<void> {
  const nothing = (): void => undefined;
  const client = new RegistryClient(
    parseRepository(repository),
    {
      fetch,
      clock: systemClock,
      reporter: { progress: nothing, debug: nothing, info: nothing, warn: nothing },
      secrets: new Secrets(),
      signal: new AbortController().signal,
      deadline: startDeadline(systemClock, 600_000),
      environment: (name) => process.env[name],
    },
    { actions: "pull,push" },
  );
  const index = JSON.parse(readFileSync(join(layout, "index.json"), "utf8")) as { manifests: Descriptor[] };
  for (const { digest, mediaType } of index.manifests) {
    const bytes = readFileSync(pathOf(digest));
    const { config, layers } = JSON.parse(bytes.toString()) as { config: Descriptor; layers: Descriptor[] };
    for (const blob of [...layers, config]) {
      await ensureBlob(client, blob, { source: () => rangesOfFile(pathOf(blob.digest)) });
    }
    await putManifest(client, { digest, mediaType, bytes }, "1");
  }
}

const startedAt = performance.now(); // the provider is running already
if (layout !== "") await pushLayout();
// not `resourceUsage`, which includes the parent's memory at the start of this process
const peakKib = Number(/^VmHWM:\s*(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1]);
console.log(JSON.stringify({ ms: performance.now() - startedAt, peakMiB: peakKib / 1024 }));
