import { createHash } from "node:crypto";
import { mkdir, rm, writeFile } from "node:fs/promises";
import * as tar from "tar";
import { startRegistry } from "../../test/copies/registry.ts";
import { prepareRegistry } from "../../test/programs/goPrograms.ts";

const MANIFEST = "application/vnd.oci.image.manifest.v1+json";
const INDEX = "application/vnd.oci.image.index.v1+json";
/** Folders above the site in the layer of an image: `usr/share/nginx/html`. */
const FOLDERS_ABOVE = 4;

interface Manifest {
  mediaType?: string;
  manifests?: { digest: string }[];
  layers?: { digest: string }[];
}

/** A registry on this machine with a placeholder for nginx's image: nothing of it runs here. */
export async function startRegistryWithBase(
  say: (what: string) => void,
): Promise<{ host: string; base: string; close: () => Promise<void> }> {
  process.env["REGISTRY"] = await prepareRegistry(say);
  const ends: (() => unknown)[] = [];
  const { host } = await startRegistry({ onTestFinished: (end) => void ends.push(end as () => unknown) });
  await pushEmptyImage(`http://${host}/v2/nginx`);
  return {
    host,
    base: `${host}/nginx:1`,
    close: async () => {
      for (const end of ends) await end();
    },
  };
}

/** See https://github.com/opencontainers/distribution-spec/blob/main/spec.md#push. */
async function pushEmptyImage(repository: string): Promise<void> {
  const config = JSON.stringify({
    architecture: "amd64",
    os: "linux",
    config: { User: "101" },
    rootfs: { type: "layers", diff_ids: [] },
  });
  const digest = `sha256:${createHash("sha256").update(config).digest("hex")}`;
  const upload = await ask(`${repository}/blobs/uploads/`, { method: "POST" });
  const where = new URL(upload.headers.get("location") ?? "", repository);
  where.searchParams.set("digest", digest);
  await ask(where.href, { method: "PUT", body: config });
  const descriptor = {
    mediaType: "application/vnd.oci.image.config.v1+json",
    digest,
    size: Buffer.byteLength(config),
  };
  await ask(`${repository}/manifests/1`, {
    method: "PUT",
    headers: { "content-type": MANIFEST },
    body: JSON.stringify({ schemaVersion: 2, mediaType: MANIFEST, config: descriptor, layers: [] }),
  });
}

/**
 * Takes the site out of its image, as a node that pulls it would.
 *
 * @param image `host/repository@sha256:…`
 */
export async function fetchSiteOfImage(image: string, folder: string): Promise<void> {
  const [name = "", digest = ""] = image.split("@");
  const slash = name.indexOf("/");
  const repository = `http://${name.slice(0, slash)}/v2/${name.slice(slash + 1)}`;
  const manifestOf = async (wanted: string): Promise<Manifest> => {
    const reply = await ask(`${repository}/manifests/${wanted}`, {
      headers: { accept: `${INDEX}, ${MANIFEST}` },
    });
    return (await reply.json()) as Manifest;
  };
  let manifest = await manifestOf(digest);
  if (manifest.manifests) manifest = await manifestOf(manifest.manifests[0]?.digest ?? "");
  const layer = await ask(`${repository}/blobs/${manifest.layers?.at(-1)?.digest ?? ""}`);
  const file = `${folder}.tar.gz`;
  await writeFile(file, Buffer.from(await layer.arrayBuffer()));
  await mkdir(folder, { recursive: true });
  await tar.extract({ file, cwd: folder, strip: FOLDERS_ABOVE, strict: true });
  await rm(file);
}

async function ask(url: string, options?: RequestInit): Promise<Response> {
  const reply = await fetch(url, options);
  if (!reply.ok) {
    throw new Error(`the registry answered ${reply.status} to ${options?.method ?? "GET"} ${url}`);
  }
  return reply;
}
