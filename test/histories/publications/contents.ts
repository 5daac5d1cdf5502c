import { packedSite } from "../../simulation/packedSite.ts";

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
    return { ...packedSite(folder, version, Object.fromEntries(files)), version, files };
  });
}
