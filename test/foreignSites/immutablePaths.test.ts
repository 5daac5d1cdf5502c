// Two versions of a site of each generator: a path that is served as immutable has the same content in both.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isImmutable } from "../../provider/publishing/inspection/immutableFiles.ts";
import { buildVersions, GENERATOR_NAMES, type GeneratorName } from "./twoVersions.ts";

/** The digests of a site's files, by path. */
function digestsIn(folder: string): Map<string, string> {
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
  return new Map(
    paths
      .filter((path) => statSync(join(folder, path)).isFile())
      .map((path) => [
        path,
        createHash("sha256")
          .update(readFileSync(join(folder, path)))
          .digest("hex"),
      ]),
  );
}

/** Generators that name no file after its content. */
const WITHOUT_HASHES: ReadonlySet<GeneratorName> = new Set(["Sphinx"]);

test.for(GENERATOR_NAMES)(
  "no path that is immutable has other content in the next version: %s",
  { timeout: 900_000 },
  async (name) => {
    const [before, after] = (await buildVersions(name, (what) => console.log(what))).map(digestsIn);
    if (before === undefined || after === undefined) expect.fail("two versions are missing");
    const changed = [...before].filter(([path, digest]) => (after.get(path) ?? digest) !== digest);
    const immutable = [...before.keys()].filter(isImmutable);
    const named = [...before.keys()].filter((path) => !after.has(path));
    console.log(
      `${name}: ${before.size} and ${after.size} files, ${immutable.length} immutable; ${changed.length} paths have other content, ` +
        `${named.length} paths are gone. Not immutable, and gone: ${named.filter((path) => !isImmutable(path)).join(" ") || "none"}`,
    );
    expect(changed.map(([path]) => path).filter(isImmutable)).toEqual([]);
    // the versions differ, and the generator's own names count
    expect(changed.length + named.length).toBeGreaterThan(0);
    if (WITHOUT_HASHES.has(name)) expect(immutable).toEqual([]);
    else expect(immutable.filter((path) => !after.has(path))).not.toEqual([]);
  },
);
