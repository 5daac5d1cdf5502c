import { createHash } from "node:crypto";
import { readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";

/** Hexadecimal digits of a digest that are shown: 64 bits, enough to notice a change. */
const SHOWN_DIGITS = 16;

/** What `helm dependency update` writes into a chart: with `dependencyUpdate` the plugin runs it, in previews too. */
const DEPENDENCIES = /^(?:(?:Chart|requirements)\.lock|charts\/[^/]+\.tgz|tmpcharts[^/]*\/.*)$/;

/**
 * Digest of a chart's files: their paths within the chart and their contents. The same on every machine: order, times,
 * owners and permissions count for nothing. Links are followed, as Helm does; `.helmignore` is not read, so that a
 * change of an ignored file is a change, too.
 *
 * @param path folder of the chart, or a packed one (`.tgz`)
 * @param options `withoutDependencies`: leave out what `helm dependency update` writes
 */
export function chartDigest(path: string, options: { withoutDependencies?: boolean } = {}): string {
  const files = filesOf(path, "", []).filter(
    (name) => options.withoutDependencies !== true || !DEPENDENCIES.test(name),
  );
  files.sort((one, other) => (one < other ? -1 : 1)); // by code units: no machine's locale has a say
  const digest = createHash("sha256");
  for (const name of files) {
    const content = createHash("sha256").update(readFileSync(join(path, name)));
    digest.update(`${name}\0${content.digest("hex")}\n`);
  }
  return `sha256:${digest.digest("hex").slice(0, SHOWN_DIGITS)}`;
}

/** @param above real paths of the folders around this one, so that a link in a circle ends */
function filesOf(root: string, name: string, above: readonly string[]): string[] {
  const path = join(root, name);
  if (!statSync(path).isDirectory()) return [name];
  const real = realpathSync(path);
  if (above.includes(real)) return [];
  return readdirSync(path).flatMap((entry) =>
    filesOf(root, name === "" ? entry : `${name}/${entry}`, [...above, real]),
  );
}
