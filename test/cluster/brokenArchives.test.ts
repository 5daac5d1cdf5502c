import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { archiveOf } from "./archives.ts";
import type { StoredBundle } from "./bundleStore.ts";
import { buildInstallation, until, type Installation } from "./installation.ts";
import { startSteadyClient, type SteadyClient } from "./steadyClient.ts";

/** Helm's wait, in seconds. */
const RELEASE_TIMEOUT = "15";
/** For pods that the kubelet starts again with growing pauses. */
const PATIENT_TIMEOUT = "180";
/** Of the init container, which would else go on trying for minutes. */
const FETCH_TIME_LIMIT_SECONDS = 10;

const BROKEN: Record<string, { archive: (bundle: StoredBundle) => StoredBundle; reason: RegExp }> = {
  "that is cut off": {
    archive: (bundle) => ({ ...bundle, body: bundle.body.subarray(0, bundle.body.length / 2) }),
    reason: /cut off/,
  },
  "of another digest than it says": {
    archive: (bundle) => ({
      ...bundle,
      headers: { ...bundle.headers, "repr-digest": `sha-256=:${createHash("sha256").digest("base64")}:` },
    }),
    reason: /digest|SHA-256/i,
  },
  "with an entry ../x": {
    archive: replaced([{ path: "index.html" }, { path: "../x" }]),
    reason: /leads outside/,
  },
  "with a symlink": {
    archive: replaced([{ path: "index.html" }, { path: "etc", type: "SymbolicLink", linkpath: "/etc" }]),
    reason: /link/,
  },
};

describe("an archive", () => {
  const ends: (() => unknown)[] = [];
  let installation: Installation;
  let client: SteadyClient;

  beforeAll(async () => {
    installation = await buildInstallation(
      { onTestFinished: (end) => void ends.unshift(end as () => unknown) },
      {
        config: { version: "first", timeout: RELEASE_TIMEOUT },
        values: { fetch: { timeLimitSeconds: FETCH_TIME_LIMIT_SECONDS } },
      },
    );
    await installation.up();
    await installation.writeStartPage("# Welcome\n\nThe second edition.\n");
  });

  afterAll(async () => {
    for (const end of ends) await end();
  });

  test.each(Object.entries(BROKEN))("%s never replaces what is served", async (name, { archive, reason }) => {
    client = startSteadyClient(await installation.url());
    installation.store.spoil(archive);
    await installation.setConfig({ version: name });
    const failed = await installation.stack.up();
    expect(failed.ok).toBe(false);
    // what Pulumi says leads to the commands, and the commands to the pod's own reason
    expect(failed.text).toContain(`kubectl --namespace ${installation.namespace} describe pods`);
    await until("a pod tells why", async () => reason.test(await lastWords(installation)));
    expect(Object.keys(await client.stop())).toEqual(["200 The first edition."]);
  });

  test("that is whole is then rolled out by the next `up`, from the same export", async () => {
    installation.store.spoil(undefined);
    await installation.setConfig({ timeout: PATIENT_TIMEOUT });
    const asked = installation.service.requests.length;
    await installation.up();
    await installation.serves("The second edition.");
    expect(installation.service.requests.slice(asked).filter(({ method }) => method === "POST")).toEqual([]);
  });
});

/** Termination messages of the init containers. */
async function lastWords({ kubectl }: Installation): Promise<string> {
  const each = "{.items[*].status.initContainerStatuses[*]";
  return kubectl(
    "get",
    "pods",
    `--output=jsonpath=${each}.lastState.terminated.message} ${each}.state.terminated.message}`,
  );
}

function replaced(entries: Parameters<typeof archiveOf>[0]): (bundle: StoredBundle) => StoredBundle {
  const body = gzipSync(archiveOf(entries));
  return ({ headers }) => ({
    status: 200,
    headers: { "content-type": headers["content-type"], "content-length": String(body.length) },
    body,
  });
}
