import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import { create, extract } from "tar";

const ROOT = join(import.meta.dirname, "../..");

/** The tarball that npm would publish. @returns its path, in this folder */
export async function pack(folder: string): Promise<string> {
  // without scripts: npm test has built dist/ already, and other tests are using it
  const args = ["pack", "--json", "--ignore-scripts", "--pack-destination", folder];
  const { stdout } = await promisify(execFile)("npm", args, { cwd: ROOT });
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  const tarball = join(folder, filename);
  await removePrepare(tarball, join(folder, "unpacked"));
  return tarball;
}

/** Removes the script `prepare`, as `.ci/pack.mjs` does in `npm pack` with scripts: npm would warn of it. */
async function removePrepare(tarball: string, folder: string): Promise<void> {
  await mkdir(folder);
  await extract({ file: tarball, cwd: folder });
  const path = join(folder, "package/package.json");
  const { scripts, ...manifest } = JSON.parse(await readFile(path, "utf8")) as {
    scripts: Record<string, string>;
  };
  const kept = Object.fromEntries(Object.entries(scripts).filter(([name]) => name !== "prepare"));
  await writeFile(path, JSON.stringify({ ...manifest, scripts: kept }, null, 2));
  const files = (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile()) // npm packs no folders
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
  await create({ file: tarball, cwd: folder, gzip: true, portable: true }, files);
  await rm(folder, { recursive: true });
}
