import { hash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { compareTexts } from "../../base/runtime/values/textOrder";
import type { Yielder } from "../archives/yielder";
import type { Asset } from "./asset";
import { relativeAddress } from "./assetAddresses";
import { assetPath } from "./assetNames";
import { assetText } from "./assetText";
import { cyclesIn } from "./cycles";
import { integrityOf } from "./integrity";
import type { KeptAssets } from "./keptAssets";
import type { Replacing } from "./references";
import { replaceInText } from "./textReferences";

/** The largest image whose content is put into a style, in bytes. */
export const MAX_CONTENT: number = 32 * 1_024;
/** The types of images, as an address may have them. */
const IMAGE_TYPE = /^image\/[a-z0-9.+-]{1,40}$/;

/** What is needed to name what was fetched. */
interface Naming {
  /** An empty folder on the local disk, made on first use. */
  readonly scratch: () => Promise<string>;
  /** Whether the site has a file. @param path below the site's root */
  readonly hasFile: (path: string) => boolean;
  /** Replaces the references of a text that was fetched. @param addressOf the address of a stored file as the text needs it */
  readonly replacing: (addressOf: (path: string) => string) => Replacing;
  readonly kept: KeptAssets | undefined;
  readonly turns: Yielder;
}

/** Keeps what was fetched on the local disk, and decides where the copy has it. */
export class AssetStore {
  readonly #scratch: Naming["scratch"];
  readonly #hasFile: Naming["hasFile"];
  readonly #replacing: Naming["replacing"];
  readonly #kept: KeptAssets | undefined;
  readonly #turns: Yielder;

  constructor({ scratch, hasFile, replacing, kept, turns }: Naming) {
    this.#scratch = scratch;
    this.#hasFile = hasFile;
    this.#replacing = replacing;
    this.#kept = kept;
    this.#turns = turns;
  }

  /** Keeps the content of an asset. */
  async keep(asset: Asset, bytes: Uint8Array): Promise<void> {
    await writeFile(await this.#file(asset), bytes);
  }

  /** What was fetched. */
  async fetchedBytes(asset: Asset): Promise<Buffer> {
    return readFile(await this.#file(asset));
  }

  /** What the copy has: its references are replaced. */
  async storedBytes(asset: Asset): Promise<Buffer> {
    if (asset.kept && this.#kept) return this.#kept.bytes(asset.kept);
    const file = await this.#file(asset);
    return readFile(asset.text === undefined ? file : `${file}.stored`);
  }

  /** Decides where each asset is stored: those that others refer to first, because their names are part of the others' content. */
  async name(assets: ReadonlySet<Asset>, byAddress: ReadonlyMap<string, Asset>): Promise<void> {
    const usable = [...assets].sort((one, other) => compareTexts(one.url.href, other.url.href));
    const known = new Set(usable.map(({ url }) => url.href));
    const edges = (address: string): string[] =>
      [...(byAddress.get(address)?.refers ?? [])].filter((each) => known.has(each)).sort();
    for (const group of cyclesIn(
      usable.map(({ url }) => url.href),
      edges,
    )) {
      const members = group.map((address) => byAddress.get(address)).filter((each) => each !== undefined);
      const isCycle = group.length > 1 || group.some((address) => edges(address).includes(address));
      const within = isCycle ? new Set(group) : undefined;
      const contents: string[] = [];
      for (const asset of members) {
        if (asset.kept) asset.path = asset.kept.path;
        if (asset.kept && asset.kept.stored !== asset.sha256) {
          asset.storedIntegrity = integrityOf(await this.storedBytes(asset));
        }
      }
      if (members.some(({ kept }) => kept !== undefined)) {
        for (const asset of members) asset.content = await this.#contentAddress(asset);
        continue;
      }
      for (const asset of members) contents.push(hash("sha256", await this.#contentOf(asset, within)));
      const all = hash("sha256", contents.toSorted().join(" "));
      for (const [index, asset] of members.entries()) {
        const own = contents[index] ?? "";
        // files that refer to each other are named after all of them
        const digest = isCycle ? hash("sha256", `${own} ${all}`) : own;
        asset.path = this.#freePath(assetPath(asset.url, asset.kind, asset.type, digest));
      }
      for (const asset of members) {
        if (asset.text === undefined) continue;
        const stored = await this.#contentOf(asset, undefined);
        if (hash("sha256", stored) !== asset.sha256) asset.storedIntegrity = integrityOf(stored);
        await writeFile(`${await this.#file(asset)}.stored`, stored);
      }
      for (const asset of members) asset.content = await this.#contentAddress(asset);
    }
  }

  /** The content of a small image as an address, if a custom property has its own. Not of one that loads others. */
  async #contentAddress(asset: Asset): Promise<string | undefined> {
    const { isInProperty, bytes, type, storedIntegrity } = asset;
    const isFit = bytes <= MAX_CONTENT && IMAGE_TYPE.test(type) && storedIntegrity === undefined;
    if (isInProperty === undefined || !isFit) return undefined;
    return `data:${type};base64,${(await this.storedBytes(asset)).toString("base64")}`;
  }

  /** The content of an asset with its references replaced. @param within addresses that have no name yet */
  async #contentOf(asset: Asset, within: ReadonlySet<string> | undefined): Promise<Buffer> {
    const bytes = await readFile(await this.#file(asset));
    if (asset.text === undefined) return bytes;
    const { text, bytesOf } = assetText(bytes, asset);
    const own = asset.path;
    const final = this.#replacing((path) => (own === undefined ? path : relativeAddress(own, path)));
    const replacing: Replacing = {
      ...final,
      replace: (reference, base) =>
        within?.has(reference.url.href) === true
          ? { address: `cycle:${hash("sha256", reference.url.href)}` }
          : final.replace(reference, base),
    };
    const base = { url: asset.from.href, href: asset.from.href };
    return bytesOf(await replaceInText(asset.text, text, base, () => replacing, this.#turns));
  }

  /** A path that the site has no file at. */
  #freePath(path: string): string {
    let free = path;
    for (let count = 2; this.#hasFile(free); count++) {
      free = path.replace(/(?=\.[^./]*$|$)/, `-${count}`);
    }
    return free;
  }

  async #file({ file }: Pick<Asset, "file">): Promise<string> {
    return join(await this.#scratch(), `asset-${file}`);
  }
}
