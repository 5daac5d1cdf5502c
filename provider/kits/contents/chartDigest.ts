import { createHash } from "node:crypto";
import { readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { compareTexts } from "../../base/runtime/values/textOrder";

/** Number of hexadecimal digits shown of a digest: 64 bits, enough to detect a change. */
const SHOWN_DIGITS = 16;

/** Files that `helm dependency update` writes into a chart. With `dependencyUpdate` the plugin runs it, also in previews. */
const DEPENDENCIES = /^(?:(?:Chart|requirements)\.lock|charts\/[^/]+\.tgz|tmpcharts[^/]*\/.*)$/;

/**
 * Digest of a chart's files: their paths within the chart and their contents. It is the same on every machine: it ignores
 * order, times, owners and permissions. It follows links, as Helm does. It does not read `.helmignore`, so a change of an
 * ignored file changes the digest.
 *
 * @param path folder of the chart, or a packed chart (`.tgz`)
 * @param options `withoutDependencies`: leave out the files that `helm dependency update` writes
 */
export function chartDigest(path: string, options: { withoutDependencies?: boolean } = {}): string {
  const files = filesOf(path, "", []).filter(
    (name) => options.withoutDependencies !== true || !DEPENDENCIES.test(name),
  );
  files.sort(compareTexts);
  const digest = createHash("sha256");
  for (const name of files) {
    const content = createHash("sha256").update(readFileSync(join(path, name)));
    digest.update(`${name}\0${content.digest("hex")}\n`);
  }
  return `sha256:${digest.digest("hex").slice(0, SHOWN_DIGITS)}`;
}

/** @param above real paths of the parent folders, to stop at circular links */
function filesOf(root: string, name: string, above: readonly string[]): string[] {
  const path = join(root, name);
  if (!statSync(path).isDirectory()) return [name];
  const real = realpathSync(path);
  if (above.includes(real)) return [];
  return readdirSync(path).flatMap((entry) =>
    filesOf(root, name === "" ? entry : `${name}/${entry}`, [...above, real]),
  );
}
