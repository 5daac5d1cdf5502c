import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { create } from "tar";

/** A content that copies are made of. */
export interface Content {
  readonly file: string;
  readonly version: string;
  readonly fileSha256: string;
  /** The text of each file of the site, by path. */
  readonly files: ReadonlyMap<string, string>;
}

/** Packs a few small sites. Some of their files are the same. */
export function packContents(folder: string, count: number): Content[] {
  return Array.from({ length: count }, (_, index) => {
    const version = `v${index + 1}`;
    const files = new Map([
      ["index.html", `<h1>${version}</h1>`],
      ["same.html", "<p>the same in each version</p>"],
      [`guide/${version}.html`, `<p>${version}</p>`],
    ]);
    const site = join(folder, version);
    for (const [path, text] of files) {
      mkdirSync(join(site, path, ".."), { recursive: true });
      writeFileSync(join(site, path), text);
    }
    const file = join(folder, `${version}.tar.gz`);
    create({ file, cwd: site, gzip: true, portable: true, noMtime: true, sync: true }, readdirSync(site));
    return {
      file,
      version,
      fileSha256: createHash("sha256").update(readFileSync(file)).digest("hex"),
      files,
    };
  });
}
