import { createHash } from "node:crypto";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import type { Place, Spot } from "./place.ts";

type Folder = { readonly folder: string; readonly layout?: string };

/** Folders below a root, with archives and sites. */
export function folderPlace(root: string): Place {
  const main = join(root, "docs");
  mkdirSync(main, { recursive: true });
  symlinkSync(main, join(root, "alias"));
  const elsewhere = join(dirname(root), "elsewhere");
  mkdirSync(join(elsewhere, "folder"), { recursive: true });
  for (const name of ["file", "folder/file"]) writeFileSync(join(elsewhere, name), "elsewhere");
  const links: { readonly path: string; readonly aside: string | undefined }[] = [];
  const foreign = new Set([join(root, "alias")]);
  const folders: Readonly<Record<Spot, readonly string[]>> = {
    same: [main],
    "another spelling": [`${main}/`, join(root, "alias"), `${root}/other/../docs`],
    nested: [join(main, "nested")],
    parent: [root],
    separate: [join(root, "separate")],
  };
  const text = (path: string): string | undefined =>
    existsSync(path) && lstatSync(path).isFile() ? readFileSync(path, "utf8") : undefined;
  const isFolder = (path: string): boolean => existsSync(path) && lstatSync(path).isDirectory();
  /** Whether a run that was killed between two renames has a file in its draft. */
  const isAside = (name: string): boolean =>
    readdirSync(root, { recursive: true, withFileTypes: true }).some(
      (each) => each.name === name && /\.draft\/(?:.+\/)?replaced-\d+-/.test(`${each.parentPath}/`),
    );
  return {
    destination(spot, variant) {
      const spellings = folders[spot];
      return {
        folder: spellings[variant % spellings.length],
        layout: variant % 3 === 0 ? "archive" : "site",
      };
    },
    fetch: () => Promise.reject(new Error("nothing is fetched")),
    environment: {},
    missing(copy, content, owner, destination) {
      const { folder, layout } = destination as Folder;
      const item = basename(copy.uri);
      const at = join(folder, item);
      if (this.owner?.(destination)?.owner !== owner) return `the mark of ${folder}`;
      if (layout !== "site") {
        const digest = existsSync(at) && createHash("sha256").update(readFileSync(at)).digest("hex");
        return digest === content.fileSha256 ? undefined : at;
      }
      for (const [path, expected] of content.files) {
        if (text(join(at, path)) !== expected) return join(at, path);
      }
      return existsSync(`${at}.json`) ? undefined : `${at}.json`;
    },
    owner(destination) {
      const mark = text(join((destination as Folder).folder, ".docs-hosting/owner.json"));
      return mark === undefined ? undefined : (JSON.parse(mark) as { owner: string; urn: string });
    },
    pointer(destination) {
      const { folder, layout } = destination as Folder;
      if (layout !== "site") return "no pointer";
      const link = join(folder, "current");
      const target = lstatSync(link, { throwIfNoEntry: false }) && readlinkSync(link);
      return target !== undefined && existsSync(link) ? target : undefined;
    },
    nameOf: (copy) => basename(copy.uri),
    pointerKey(destination) {
      const { folder, layout } = destination as Folder;
      return `${layout} ${resolve(folder).replace(join(root, "alias"), main)}`;
    },
    addForeign(number, destination, copy) {
      const { folder, layout } = destination as Folder;
      const inSite = layout === "site" && copy !== undefined && number % 3 > 0 && isFolder(copy.uri);
      const below = inSite ? join(copy.uri, ...(number % 3 === 1 ? [".well-known"] : [])) : folder;
      if (!existsSync(folder)) return undefined;
      mkdirSync(below, { recursive: true });
      const path = join(below, `robots-${number}.txt`);
      writeFileSync(path, `foreign ${number}`);
      foreign.add(resolve(path).replace(join(root, "alias"), main));
      return (isSettled) => text(path) === `foreign ${number}` || (!isSettled && isAside(basename(path)));
    },
    alter(number, copy) {
      const path = join(copy.uri, "index.html");
      if (!existsSync(path)) return false;
      writeFileSync(path, `changed ${number}`);
      foreign.add(resolve(path).replace(join(root, "alias"), main)); // until it is written again
      return true;
    },
    left: () =>
      readdirSync(root, { recursive: true, withFileTypes: true })
        // the list follows links
        .filter((each) => !each.isDirectory() && !each.parentPath.startsWith(join(root, "alias")))
        .map(({ parentPath, name }) => join(parentPath, name))
        .filter((path) => !foreign.has(path))
        .map((path) => relative(root, path)),
    putLink(path) {
      const stats = lstatSync(path, { throwIfNoEntry: false });
      if (!existsSync(join(path, "..")) || stats?.isSymbolicLink()) return;
      // Node.js cannot open a name in a folder that it has open: whoever swaps a folder at the very step wins
      if (stats?.isDirectory()) return;
      const aside = join(elsewhere, `aside-${links.length}`);
      if (stats) renameSync(path, aside);
      symlinkSync(join(elsewhere, path.endsWith(".docs-hosting") ? "folder" : "file"), path);
      links.push({ path, aside: stats && aside });
    },
    takeLinks() {
      const put = links.splice(0).reverse();
      // also those that a run has moved, or given another name
      const all = put.length === 0 ? [] : readdirSync(root, { recursive: true, withFileTypes: true });
      for (const each of all) {
        const path = join(each.parentPath, each.name);
        if (each.isSymbolicLink() && existsSync(path) && readlinkSync(path).startsWith(elsewhere)) {
          rmSync(path);
        }
      }
      for (const { path, aside } of put) {
        const isFree = lstatSync(path, { throwIfNoEntry: false }) === undefined;
        const isBack = isFree && existsSync(join(path, "..")) && !path.endsWith(".draft");
        if (aside !== undefined && isBack) renameSync(aside, path);
        else if (aside !== undefined) rmSync(aside, { recursive: true });
      }
      const found = readdirSync(elsewhere, { recursive: true }).map(String).sort();
      const problems = found.filter((name) => !["file", "folder", "folder/file"].includes(name));
      for (const name of ["file", "folder/file"]) {
        if (text(join(elsewhere, name)) !== "elsewhere") problems.push(name);
      }
      return problems;
    },
    killed({ drafts }) {
      // what a process that has ended leaves belongs to nobody
      let number = 0;
      for (const path of drafts) {
        const [, start = ""] = /^(\.(?:docs-hosting-(?:[0-9a-f]{16}\.)?)?)/.exec(basename(path)) ?? [];
        const free = join(path, "..", `${start}free-${basename(path).slice(-14, -6)}${number++}.draft`);
        if (lstatSync(path, { throwIfNoEntry: false })) renameSync(path, free);
      }
    },
  };
}
