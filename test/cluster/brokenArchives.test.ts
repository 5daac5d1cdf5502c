import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { archiveOf } from "./archives.ts";
import type { StoredBundle } from "./bundleStore.ts";
import { buildInstallation, until } from "./installation.ts";
import { startSteadyClient } from "./steadyClient.ts";

/** Helm's wait, in seconds: an archive that is refused is refused at once. */
const RELEASE_TIMEOUT = "25";

const BROKEN: Record<string, (bundle: StoredBundle) => StoredBundle> = {
  "cut off": (bundle) => ({ ...bundle, body: bundle.body.subarray(0, bundle.body.length / 2) }),
  "of another digest than it says": (bundle) => ({
    ...bundle,
    headers: { ...bundle.headers, "repr-digest": `sha-256=:${createHash("sha256").digest("base64")}:` },
  }),
  "with an entry ../x": replaced([{ path: "index.html" }, { path: "../x" }]),
  "with a symlink": replaced([
    { path: "index.html" },
    { path: "etc", type: "SymbolicLink", linkpath: "/etc" },
  ]),
};

test.each(Object.keys(BROKEN))("an archive %s never replaces what is served", async (name) => {
  const onTestFinished: (() => unknown)[] = [];
  try {
    const installation = await buildInstallation(
      { onTestFinished: (end) => void onTestFinished.push(end as () => unknown) },
      { config: { version: "1", timeout: RELEASE_TIMEOUT } },
    );
    await installation.up();
    installation.store.spoil(BROKEN[name]);
    await installation.writeStartPage("# Welcome\n\nThe second edition.\n");
    await installation.setConfig({ version: "2" });

    const client = startSteadyClient(await installation.url());
    const failed = await installation.stack.up();
    expect(failed.ok).toBe(false);
    const reason = await until("the new pod tells why", async () => {
      const message = await installation.kubectl(
        "get",
        "pods",
        "--output=jsonpath={.items[*].status.initContainerStatuses[*].lastState.terminated.message} {.items[*].status.initContainerStatuses[*].state.terminated.message}",
      );
      return message.trim() || undefined;
    });
    expect(reason).toMatch(/bundle|archive/);

    expect(Object.keys(await client.stop())).toEqual(["200 The first edition."]);

    // once the archive is whole, the same export is rolled out
    installation.store.spoil(undefined);
    await installation.up();
    await installation.serves("The second edition.");
  } finally {
    for (const end of onTestFinished.reverse()) await end();
  }
});

function replaced(entries: Parameters<typeof archiveOf>[0]): (bundle: StoredBundle) => StoredBundle {
  const body = gzipSync(archiveOf(entries));
  return ({ headers }) => ({
    status: 200,
    headers: {
      "content-type": headers["content-type"],
      "content-length": String(body.length),
    },
    body,
  });
}
