// The kinds of places that copies and kits are published to: what a program says of each, and what is there.
import { createHash, generateKeyPairSync } from "node:crypto";
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { gunzipSync } from "node:zlib";
import { CANARIES, STUB_BUCKET, type BucketStub } from "../../simulation/bucketStub.ts";
import {
  digestOf,
  isDigest,
  type StoredManifest,
  type StoredRepository,
} from "../../simulation/memoryRegistry.ts";
import { storeBase, type RegistryServer } from "../../simulation/registryStub.ts";

type Outputs = Readonly<Record<string, unknown>>;

/** A bundle, as it must be readable at a place. */
export interface Content {
  /** SHA-256 of the archive. */
  readonly sha256: string;
  /** A text on its first page. */
  readonly text: string;
}

/** What a resource says of its place. */
export interface Naming {
  /** Which of the three spellings of the place. @default 0 */
  readonly spelling?: number | undefined;
  /** The tag in a repository whose copies have one. @default "latest" */
  readonly tag?: string | undefined;
}

/** A kind of place. A row of the table has a place of its own, by its name. */
export interface PlaceKind {
  readonly name: string;
  readonly resource: "BundleCopy" | "AirGapKit";
  /** What one owner has at a time: the link `current`, the pages at a prefix. */
  readonly hasOnePointer?: boolean;
  /** Inputs besides the source. */
  inputs(place: string, naming: Naming): Record<string, unknown>;
  /** What keeps people from reading a copy as it was published. @param naming without it, only the copy itself counts */
  problem(place: string, outputs: Outputs, content: Content, naming?: Naming): string | undefined;
  /** Everything that is there. */
  left(place: string): string[];
  /** What changes with every write there. */
  writes(place: string): unknown;
  /**
   * Puts something of others into the item.
   *
   * @returns what of it must be there at the end, and which other names are there because of it
   */
  addForeign(place: string, outputs: Outputs): { foreign: string[]; isBecause: (name: string) => boolean };
  /** Takes the whole item away, with all names that people gave it. */
  remove(place: string, outputs: Outputs): void;
  /** Takes away a part of the item. Absent where a foreign name of the item would go, too. */
  lose?(place: string, outputs: Outputs): void;
  /** Takes away the marks of all owners, as versions without marks left the place. */
  forgetOwners(place: string): void;
}

/** Environment variables of the operations. */
export const PLACE_ENV: Record<string, string> = {
  ...CANARIES,
  SIGNING_KEY: generateKeyPairSync("ec", { namedCurve: "P-256" })
    .privateKey.export({ type: "pkcs8", format: "pem" })
    .toString(),
};

const MARKS = ".docs-hosting";
const sha256Of = (path: string): string => createHash("sha256").update(readFileSync(path)).digest("hex");

/** Folders below the program's. */
export function folderKinds(programFolder: string): PlaceKind[] {
  const folder = (place: string): string => join(programFolder, "places", place);
  const all = (place: string): string[] =>
    existsSync(folder(place)) ? readdirSync(folder(place), { recursive: true, encoding: "utf8" }).sort() : [];
  const spelled = (place: string, { spelling = 0 }: Naming): string =>
    [`./places/${place}`, `./linked/${place}/`, `${folder(place)}/`][spelling] ?? "";
  const common = {
    left: all,
    writes: (place: string) =>
      all(place).map((path) => {
        const { mtimeMs, ino } = lstatSync(join(folder(place), path));
        return [path, mtimeMs, ino];
      }),
    forgetOwners: (place: string) => rmSync(join(folder(place), MARKS), { recursive: true }),
  };
  /** Writes files of others, and names them with their folders. */
  const put = (
    place: string,
    at: string,
    ...names: string[]
  ): { foreign: string[]; isBecause: (name: string) => boolean } => {
    const because = new Set<string>();
    const foreign = names.map((name) => {
      const path = join(at, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, "of others");
      for (let each = path; each !== folder(place); each = dirname(each))
        because.add(relative(folder(place), each));
      return relative(folder(place), path);
    });
    return { foreign, isBecause: (name) => because.has(name) };
  };
  const at = (path: unknown): string => join(programFolder, String(path));
  const resolved = (path: unknown): string => (String(path).startsWith("/") ? String(path) : at(path));

  const archive: PlaceKind = {
    ...common,
    name: "folder-archive",
    resource: "BundleCopy",
    inputs: (place, naming) => ({ destination: { folder: spelled(place, naming) } }),
    problem: (_place, { uri }, { sha256 }) => {
      if (!existsSync(resolved(uri))) return `there is no archive ${String(uri)}`;
      return sha256Of(resolved(uri)) === sha256 ? undefined : `${String(uri)} has other content`;
    },
    addForeign: (place) => put(place, folder(place), "README", "notes/today.txt"),
    remove: (_place, { uri }) => rmSync(resolved(uri)),
  };
  const site: PlaceKind = {
    ...common,
    name: "folder-site",
    resource: "BundleCopy",
    hasOnePointer: true,
    inputs: (place, naming) => ({ destination: { folder: spelled(place, naming), layout: "site" } }),
    problem: (place, { uri }, { text }, naming) => {
      const roots = [resolved(uri), ...(naming ? [join(folder(place), "current")] : [])];
      const unreadable = roots.find((root) => {
        const page = join(root, "index.html");
        return !existsSync(page) || !readFileSync(page, "utf8").includes(text);
      });
      return unreadable === undefined ? undefined : `${unreadable} does not have the page «${text}»`;
    },
    addForeign: (place, { uri }) => put(place, resolved(uri), "robots.txt", ".well-known/security.txt"),
    remove: (_place, { uri }) => rmSync(resolved(uri), { recursive: true }),
    lose: (_place, { uri }) => rmSync(join(resolved(uri), "index.html")),
  };
  const kit: PlaceKind = {
    ...common,
    name: "kit",
    resource: "AirGapKit",
    inputs: (place, naming) => ({ folder: spelled(place, naming), chart: "./chart" }),
    problem: (_place, { path, bundleSha256 }, { sha256 }) => {
      const sums = join(resolved(path), "SHA256SUMS");
      if (!existsSync(sums)) return `there is no kit ${String(path)}`;
      if (bundleSha256 !== sha256) return `${String(path)} is a kit of another bundle`;
      const damaged = readFileSync(sums, "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .find((line) => {
          const [, digest, name = ""] = /^([0-9a-f]{64}) [ *](.+)$/.exec(line) ?? [];
          return !existsSync(join(resolved(path), name)) || sha256Of(join(resolved(path), name)) !== digest;
        });
      return damaged === undefined ? undefined : `a file is missing or damaged: ${damaged}`;
    },
    addForeign: (place, { path }) => put(place, resolved(path), "transfer.log"),
    remove: (_place, { path }) => rmSync(resolved(path), { recursive: true }),
    lose: (_place, { path }) => rmSync(join(resolved(path), "values.yaml")),
  };
  return [archive, site, kit];
}

/** Prefixes of a bucket. */
export function bucketKinds(store: BucketStub): PlaceKind[] {
  const { endpoint, objects, requests } = store;
  const port = new URL(endpoint).port;
  const endpoints = [`http://localhost:${port}`, `http://LOCALHOST:${port}/`, `http://127.0.0.1:${port}`];
  const keys = (place: string): string[] =>
    [...objects.keys()].filter((key) => key.startsWith(`${place}/`)).sort();
  const text = (key: string): string => objects.get(key)?.body.toString() ?? "";
  const destination = (place: string, { spelling = 0 }: Naming) => ({
    bucket: STUB_BUCKET,
    prefix: place,
    endpoint: endpoints[spelling],
  });
  const keyIn = (uri: unknown): string => String(uri).slice(`s3://${STUB_BUCKET}/`.length);
  const common = {
    resource: "BundleCopy",
    left: keys,
    writes: (place: string) =>
      requests.filter(({ method, key }) => !["GET", "HEAD"].includes(method) && key.startsWith(`${place}/`))
        .length,
    addForeign: (place: string) => {
      store.put(`${place}/robots.txt`, "of others");
      return { foreign: [`${place}/robots.txt`], isBecause: () => false };
    },
    forgetOwners: (place: string) => {
      for (const key of keys(place)) if (key.startsWith(`${place}/${MARKS}/owners/`)) objects.delete(key);
    },
  } as const;
  const archive: PlaceKind = {
    ...common,
    name: "bucket-archive",
    inputs: (place, naming) => ({ destination: destination(place, naming) }),
    problem: (_place, { uri }, { sha256 }) => {
      const found = objects.get(keyIn(uri));
      if (!found) return `there is no object ${String(uri)}`;
      return createHash("sha256").update(found.body).digest("hex") === sha256
        ? undefined
        : `${String(uri)} has other content`;
    },
    remove: (_place, { uri }) => objects.delete(keyIn(uri)),
  };
  const site: PlaceKind = {
    ...common,
    name: "bucket-site",
    hasOnePointer: true,
    inputs: (place, naming) => ({ destination: { ...destination(place, naming), layout: "site" } }),
    problem: (place, _outputs, content, naming) =>
      naming === undefined || text(`${place}/index.html`).includes(content.text)
        ? undefined
        : `${place}/index.html does not have «${content.text}»`,
    remove: (place) => {
      for (const key of keys(place)) if (!key.startsWith(`${place}/${MARKS}/`)) objects.delete(key);
    },
    lose: (place) => objects.delete(`${place}/index.html`),
  };
  return [archive, site];
}

/** Repositories of a registry. */
export function repositoryKinds(registry: RegistryServer): PlaceKind[] {
  const port = registry.host.split(":")[1] ?? "";
  const host = `localhost:${port}`;
  const hosts = [host, `LOCALHOST:${port}`, `127.0.0.1:${port}`];
  storeBase(registry.at("base/nginx"), "1");
  const isTag = ([name]: readonly [string, StoredManifest]): boolean => !isDigest(name);
  const named = (place: string, tag: string): string | undefined => {
    const manifest = registry.at(place).manifests.get(tag);
    return manifest && digestOf(manifest.body);
  };
  const common = {
    resource: "BundleCopy",
    left: (place: string) => {
      const { manifests } = registry.at(place);
      const tagged = new Set([...manifests].filter(isTag).map(([, { body }]) => digestOf(body)));
      // an earlier list of referrers: who replaces it by its tag may leave it to the registry
      const isReplacedList = ([digest, { type }]: [string, StoredManifest]): boolean =>
        isDigest(digest) &&
        type.includes("image.index") &&
        !tagged.has(digest) &&
        manifestsBelow({ manifests }, digest).every((each) => each === digest || !manifests.has(each));
      return [...manifests]
        .filter((each) => !isReplacedList(each))
        .map(([name]) => name)
        .sort();
    },
    writes: (place: string) =>
      registry.requests.filter(
        (line) => !/^(?:GET|HEAD) /.test(line) && line.split(" ")[1]?.startsWith(`/v2/${place}/`) === true,
      ).length,
    addForeign: (place: string, { image }: Outputs) => {
      const { manifests } = registry.at(place);
      const found = manifests.get(digestIn(image));
      if (found) manifests.set("of-others", found);
      // a registry removes tags with their image, and the image is not removed without its signature
      const marks = (): string[] =>
        [...manifests]
          .filter((each) => isTag(each) && isMark(each[0]))
          .flatMap(([tag, { body }]) => [tag, digestOf(body)]);
      const isOwner = (name: string): boolean =>
        manifests.get(name)?.body.includes("vnd.pulumi-docs-hosting.owner") === true;
      return {
        foreign: ["of-others"],
        isBecause: (name: string) => !marks().includes(name) && !isOwner(name),
      };
    },
    remove: (place: string, { image }: Outputs) => {
      const { manifests } = registry.at(place);
      for (const [name, { body }] of manifests)
        if (digestOf(body) === digestIn(image)) manifests.delete(name);
    },
    forgetOwners: (place: string) => {
      const { manifests } = registry.at(place);
      for (const [tag, { body }] of [...manifests]) {
        if (isDigest(tag) || !isMark(tag)) continue;
        manifests.delete(tag);
        manifests.delete(digestOf(body));
      }
    },
  } as const;
  const problem: PlaceKind["problem"] = (place, { image }, { text }) => {
    const { blobs, manifests } = registry.at(place);
    const digest = digestIn(image);
    if (!manifests.has(digest)) return `there is no image ${String(image)}`;
    if (named(place, `sha256-${digest.slice("sha256:".length).slice(0, 16)}`) !== digest)
      return `${String(image)} has no tag of its own`;
    for (const each of manifestsBelow({ manifests }, digest)) {
      const manifest = manifestIn(manifests.get(each)?.body);
      const parts = [manifest.config, ...(manifest.layers ?? [])].filter((part) => part !== undefined);
      const missing = parts.find((part) => !blobs.has(part.digest));
      if (missing) return `${String(image)} has no blob ${missing.digest}`;
      const layer = blobs.get(manifest.layers?.at(-1)?.digest ?? "");
      if (layer && !gunzipSync(layer).includes(text)) return `${String(image)} has no page «${text}»`;
    }
    return undefined;
  };
  const plain: PlaceKind = {
    ...common,
    name: "repository",
    inputs: (place, { spelling = 0 }) => ({
      destination: { repository: `${hosts[spelling] ?? ""}/${place}` },
    }),
    problem,
  };
  const tagged: PlaceKind = {
    ...common,
    name: "repository-with-tag",
    inputs: (place, naming) => {
      const { destination } = plain.inputs(place, naming) as { destination: object };
      return { destination: { ...destination, tag: naming.tag ?? "latest" } };
    },
    problem: (place, outputs, content, naming) => {
      const found = problem(place, outputs, content);
      if (found !== undefined || naming === undefined) return found;
      const tag = naming.tag ?? "latest";
      const digest = named(place, tag);
      return digest === digestIn(outputs["image"])
        ? undefined
        : `the tag ${tag} names ${digest ?? "nothing"}`;
    },
    lose: (place) => registry.at(place).manifests.delete("latest"),
  };
  const onBase: PlaceKind = {
    ...tagged,
    name: "image-with-base",
    inputs: (place, naming) => {
      const { destination } = tagged.inputs(place, naming) as { destination: object };
      return { destination: { ...destination, base: `${host}/base/nginx:1` } };
    },
  };
  const signed: PlaceKind = {
    ...tagged,
    name: "signed-image",
    inputs: (place, naming) => ({ ...tagged.inputs(place, naming), signingKeyEnv: "SIGNING_KEY" }),
    problem: (place, outputs, content, naming) => {
      const found = tagged.problem(place, outputs, content, naming);
      if (found !== undefined) return found;
      const signature = named(place, `${digestIn(outputs["image"]).replace(":", "-")}.sig`) ?? "";
      return registry.at(place).manifests.has(signature)
        ? undefined
        : `${String(outputs["image"])} has no signature`;
    },
  };
  return [plain, tagged, onBase, signed];
}

const isMark = (tag: string): boolean => tag.startsWith("docs-hosting-");

const digestIn = (image: unknown): string => String(image).split("@")[1] ?? "";

interface ManifestFields {
  readonly config?: { readonly digest: string };
  readonly layers?: readonly { readonly digest: string }[];
  readonly manifests?: readonly { readonly digest: string }[];
}

const manifestIn = (body: Buffer | undefined): ManifestFields =>
  JSON.parse(body?.toString() ?? "{}") as ManifestFields;

/** A manifest and those that it refers to. */
function manifestsBelow({ manifests }: Pick<StoredRepository, "manifests">, digest: string): string[] {
  const { manifests: children = [] } = manifestIn(manifests.get(digest)?.body);
  return [digest, ...children.map((child) => child.digest)];
}
