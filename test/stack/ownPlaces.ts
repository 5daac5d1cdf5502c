// The kinds of places that copies and kits are published to: what a program says of each, and what is there.
import { createHash } from "node:crypto";
import { existsSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { TestContext } from "vitest";
import { startAzureStub, STUB_ACCOUNT } from "../simulation/azureStub.ts";
import { type BucketStub, startBucketStub, STUB_BUCKET } from "../simulation/bucketStub.ts";
import { startGcsStub } from "../simulation/gcsStub.ts";
import type { RegistryServer } from "../simulation/registryStub.ts";

export type Outputs = Readonly<Record<string, unknown>>;

/** A bundle, as it must be readable at a place. */
export interface Content {
  /** SHA-256 of the archive. */
  readonly sha256: string;
  /** A text on its first page. */
  readonly text: string;
}

/** A kind of place. Each operation of the table has a place of its own, by its name. */
export interface PlaceKind {
  readonly name: string;
  readonly resource: "BundleCopy" | "AirGapKit";
  /** Whether a place belongs to one resource, the whole one or its tag. */
  readonly hasOneOwner: boolean;
  /** Inputs besides the source. */
  inputs(place: string): Record<string, unknown>;
  /** What keeps people from reading a copy as it was published; `undefined` if nothing does. */
  problem(place: string, outputs: Outputs, content: Content): string | undefined;
  /** Everything that is there. */
  left(place: string): string[];
  /** What changes with every write there. */
  writes(place: string): unknown;
}

const sha256Of = (bytes: Buffer | string): string => createHash("sha256").update(bytes).digest("hex");

/** Folders below the program's. */
export function folderKinds(programFolder: string): PlaceKind[] {
  const folder = (place: string): string => join(programFolder, "places", place);
  const left = (place: string): string[] =>
    existsSync(folder(place)) ? readdirSync(folder(place), { recursive: true, encoding: "utf8" }).sort() : [];
  const common = {
    hasOneOwner: true,
    left,
    writes: (place: string) =>
      left(place).map((path) => {
        const { mtimeMs, ino } = lstatSync(join(folder(place), path));
        return [path, mtimeMs, ino];
      }),
  };
  const at = (path: unknown): string => join(programFolder, String(path));
  return [
    {
      ...common,
      name: "folder, archive",
      resource: "BundleCopy",
      inputs: (place) => ({ destination: { folder: `./places/${place}` } }),
      problem: (_place, { uri }, { sha256 }) => {
        if (!existsSync(at(uri))) return `there is no archive ${String(uri)}`;
        return sha256Of(readFileSync(at(uri))) === sha256 ? undefined : `${String(uri)} has other content`;
      },
    },
    {
      ...common,
      name: "folder, site",
      resource: "BundleCopy",
      inputs: (place) => ({ destination: { folder: `./places/${place}`, layout: "site" } }),
      problem: (place, { uri }, { text }) => {
        const unreadable = [at(uri), join(folder(place), "current")].find((root) => {
          const page = join(root, "index.html");
          return !existsSync(page) || !readFileSync(page, "utf8").includes(text);
        });
        return unreadable === undefined ? undefined : `${unreadable} does not have the page «${text}»`;
      },
    },
    {
      ...common,
      name: "kit",
      resource: "AirGapKit",
      inputs: (place) => ({ folder: `./places/${place}` }),
      problem: (_place, { path, bundleSha256 }, { sha256 }) => {
        const sums = join(at(path), "SHA256SUMS");
        if (!existsSync(sums)) return `there is no kit ${String(path)}`;
        if (bundleSha256 !== sha256) return `${String(path)} is a kit of another bundle`;
        const damaged = readFileSync(sums, "utf8")
          .split("\n")
          .find((line) => {
            const [, digest, name = ""] = /^([0-9a-f]{64}) [ *](.+)$/.exec(line) ?? [];
            if (digest === undefined) return false;
            const file = join(at(path), name);
            return !existsSync(file) || sha256Of(readFileSync(file)) !== digest;
          });
        return damaged === undefined ? undefined : `a file is missing or damaged: ${damaged}`;
      },
    },
  ];
}

/** A kind of store, and what a program says of its only bucket. */
export interface BucketStore {
  /** In the names of its kinds of places. */
  readonly name: string;
  readonly start: (context: Pick<TestContext, "onTestFinished">) => Promise<BucketStub>;
  /** The fields of a destination that name the bucket, besides its endpoint. */
  readonly fields: Readonly<Record<string, string>>;
}

export const BUCKET_STORES: readonly BucketStore[] = [
  { name: "S3", start: startBucketStub, fields: { bucket: STUB_BUCKET, region: "eu-west-1" } },
  {
    name: "Azure",
    start: startAzureStub,
    fields: { azureContainer: STUB_BUCKET, storageAccount: STUB_ACCOUNT },
  },
  { name: "Google", start: startGcsStub, fields: { gcsBucket: STUB_BUCKET } },
];

/** Prefixes of a bucket. */
export function bucketKinds(
  { name, fields }: BucketStore,
  { endpoint, objects, uploads, requests }: BucketStub,
): PlaceKind[] {
  const keys = (place: string): string[] =>
    [...objects.keys(), ...uploads.keys()].filter((key) => key.startsWith(`${place}/`)).sort();
  const common = {
    hasOneOwner: true,
    resource: "BundleCopy",
    left: keys,
    // also those that remove several objects and have no key; one operation runs at a time
    writes: () => requests.filter(({ method }) => !["GET", "HEAD"].includes(method)).length,
  } as const;
  const inputs = (place: string, layout: string): Record<string, unknown> => ({
    destination: { ...fields, prefix: place, endpoint, layout },
  });
  return [
    {
      ...common,
      name: `${name}, archive`,
      inputs: (place) => inputs(place, "archive"),
      problem: (place, { uri }, { sha256 }) => {
        const found = objects.get(`${place}/${basename(String(uri))}`);
        if (!found) return `there is no object ${String(uri)}`;
        return sha256Of(found.body) === sha256 ? undefined : `${String(uri)} has other content`;
      },
    },
    {
      ...common,
      name: `${name}, site`,
      inputs: (place) => inputs(place, "site"),
      problem: (place, _outputs, { text }) =>
        objects.get(`${place}/index.html`)?.body.includes(text) === true
          ? undefined
          : `${place}/index.html does not have «${text}»`,
    },
  ];
}

/** Repositories of a registry. */
export function repositoryKinds(registry: RegistryServer): PlaceKind[] {
  const writes = (place: string): number =>
    registry.requests.filter(
      (request) => !/^(?:GET|HEAD) /.test(request) && request.includes(` /v2/${place}/`),
    ).length;
  const digestIn = (image: unknown): string => String(image).split("@")[1] ?? "";
  const kind = (name: string, tag: string | undefined): PlaceKind => ({
    name,
    resource: "BundleCopy",
    hasOneOwner: tag !== undefined,
    inputs: (place) => ({
      destination: { repository: `${registry.host}/${place}`, ...(tag !== undefined && { tag }) },
    }),
    left: (place) => [...registry.at(place).manifests.keys()].sort(),
    writes,
    problem: (place, { image }) => {
      const { manifests } = registry.at(place);
      const digest = digestIn(image);
      if (!manifests.has(digest)) return `there is no image ${String(image)}`;
      const named = tag === undefined ? undefined : manifests.get(tag)?.body;
      return tag === undefined || (named && `sha256:${sha256Of(named)}` === digest)
        ? undefined
        : `the tag ${tag} does not name ${digest}`;
    },
  });
  return [kind("repository", undefined), kind("repository with a tag", "latest")];
}
