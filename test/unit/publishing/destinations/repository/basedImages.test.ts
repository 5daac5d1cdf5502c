// Images of a site on a base image: for which platforms, and where the layers of the base come from.
import { describe, expect, test } from "vitest";
import { formatBytes } from "../../../../../provider/base/runtime/messages/formatBytes.ts";
import type { Copy } from "../../../../../provider/publishing/destinations/destination.ts";
import { startRegistryStub, storeBase, storeIndex } from "../../../../simulation/registryStub.ts";
import { copySite, operation } from "./repositoryCopies.ts";
import { digestIn, manifestsIn, markOf, ownTag, testRepository } from "./testRepository.ts";

const at = testRepository();
const { destination, read, written, sentBlobs } = at;

describe("a site on a base", () => {
  const LINUX = (architecture: string) => ({ os: "linux", architecture });

  test("is an index of an image for each platform, whose manifests come first", async () => {
    const images = ["amd64", "arm64"].map((each) => storeBase(at.registry, each, {}, LINUX(each)));
    const digest = storeIndex(at.registry, "1.30", images);
    at.registry.requests.length = 0;
    const placed: Copy[] = [];
    const base = `${at.registry.host}/nginx:1.30`;
    const copy = await copySite(
      { repository: at.repository, base },
      { placing: (each) => placed.push(each) },
    );
    const [top = "", ...others] = manifestsIn(copy);
    expect(top).toBe(digestIn(copy));
    expect(others).toHaveLength(2);
    expect(written()).toEqual([markOf(copy), ...others, ownTag(copy)]);
    expect(placed).toEqual([copy]);
    expect(read(top)).toMatchObject({
      manifests: others.map((each, at) => ({ digest: each, platform: LINUX(["amd64", "arm64"][at] ?? "") })),
      annotations: {
        "org.opencontainers.image.base.name": base,
        "org.opencontainers.image.base.digest": digest,
      },
    });
    expect(sentBlobs()).toBe(5); // the site, its list, a configuration for each platform, and the empty one of the mark
    const { files } = await destination().find(top, await operation());
    expect([...(files?.keys() ?? [])]).toEqual(["index.html", "guide/a.html", "index.html.gz"]);
  });

  test("is an index where the base is one, even of one image; else it is an image", async () => {
    storeIndex(at.registry, "1.30", [storeBase(at.registry, "amd64")]);
    const copy = await copySite({ repository: at.repository, base: `${at.registry.host}/nginx:1.30` });
    expect(manifestsIn(copy)).toHaveLength(2);
    const single = await copySite({ repository: at.repository, base: `${at.registry.host}/nginx:amd64` });
    expect(manifestsIn(single)).toHaveLength(1);
    expect(written().at(-1)).toBe(ownTag(single));
  });

  test("in the same registry mounts the layers of the base", async () => {
    storeBase(at.registry, "1.30");
    const mounts: string[] = [];
    const layer = (read("1.30") as { layers: { digest: string }[] }).layers[0]?.digest ?? "";
    at.registry.rule = (method, path, query) => {
      if (method === "HEAD" && path.endsWith(`docs/site/blobs/${layer}`)) return 404;
      if (!query.has("mount")) return undefined;
      mounts.push(`${query.get("mount")} from ${query.get("from")}`);
      return 201;
    };
    await copySite({ repository: at.repository, base: `${at.registry.host}/nginx:1.30` });
    expect(mounts).toEqual([`${layer} from nginx`]);
    expect(at.registry.requests).not.toContain(`GET /v2/nginx/blobs/${layer}`);
  });

  test("in another registry sends the layers of the base", async (context) => {
    const other = await startRegistryStub(context);
    storeBase(other, "1.30");
    const mounts: string[] = [];
    at.registry.rule = (_method, path, query) => {
      if (query.has("mount")) mounts.push(path);
      return undefined;
    };
    const operated = await operation();
    const copy = await copySite(
      { repository: at.repository, base: `${other.host}/nginx:1.30` },
      { context: operated },
    );
    const { layers } = read(digestIn(copy)) as { layers: { digest: string; size: number }[] };
    expect(mounts).toEqual([]);
    expect(operated.reporter.lines.progress[0]).toContain(
      `of ${formatBytes(layers.reduce((sum, { size }) => sum + size, 0))} · `,
    );
    expect(layers.map(({ digest }) => at.registry.blobs.has(digest))).toEqual([true, true]);
    expect(sentBlobs()).toBe(5);
    expect(other.requests.filter((each) => !/^(GET|HEAD) /.test(each))).toEqual([]);
  });

  test("leaves out other systems, with a warning, and needs one for Linux", async () => {
    const windows = { os: "windows", architecture: "amd64" };
    const [linux, other] = [storeBase(at.registry, "l"), storeBase(at.registry, "w", {}, windows)];
    storeIndex(at.registry, "both", [other, linux]);
    const context = await operation();
    const base = `${at.registry.host}/nginx:both`;
    const copy = await copySite({ repository: at.repository, base }, { context });
    expect(manifestsIn(copy)).toHaveLength(2);
    expect(context.reporter.lines.warn).toEqual([
      `the base ${base} has images for other systems than Linux: the copy has none for them`,
    ]);
    const quiet = await operation();
    await copySite({ repository: at.repository, base: `${at.registry.host}/nginx:l` }, { context: quiet });
    expect(quiet.reporter.lines.warn).toEqual([]);
    at.registry.requests.length = 0;
    await expect(
      copySite({ repository: at.repository, base: `${at.registry.host}/nginx:w` }),
    ).rejects.toMatchObject({
      message: `the base ${at.registry.host}/nginx:w has no image for Linux`,
      remedy: "Name another one as `base`.",
    });
    expect(at.registry.requests.filter((each) => !/^(GET|HEAD) /.test(each))).toEqual([]);
  });
});
