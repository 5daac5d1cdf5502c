import { existsSync, statSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { chartDigest } from "../../provider/kits/contents/chartDigest";

/** A chart, as passed to the release. */
export interface InstallationChart {
  /** The input `chart` of the release. */
  reference: string;
  /** Digest of the files of a local chart. A published chart has its version instead. */
  digest?: string;
}

/**
 * Interprets a chart's reference as the Kubernetes plugin does. A path that begins with a dot or is absolute is a folder
 * or a packed chart on this machine. `oci://…` and `https://…` are published charts. Anything else is `repository/name`,
 * or a name in the repository of `repositoryOpts`. A folder given without its dot (`chart`) gets the dot.
 *
 * Paths are relative to the folder that the program runs in, which is also the plugin's folder.
 *
 * @returns the chart, or the problem: the folder does not exist, or is not a chart
 */
export function findChart(
  given: string,
  options: { inRepository?: boolean; dependencyUpdate?: boolean } = {},
): InstallationChart | { problem: string } {
  const chart = (given as string | undefined)?.trim() ?? "";
  if (chart === "") return { problem: '`chart` is missing; give a folder, such as "./chart".' };
  const isPath = isAbsolute(chart) || chart.startsWith(".");
  if (!isPath) {
    const isFolder =
      options.inRepository !== true && !chart.includes(":") && existsSync(resolve(chart, "Chart.yaml"));
    if (!isFolder) return { reference: chart };
  }
  const path = resolve(chart);
  const problem = problemOf(path);
  if (problem !== undefined) {
    return {
      problem:
        `chart "${given}": ${problem} A folder is looked for from the program's own (${process.cwd()}); a published ` +
        `chart is written "oci://registry/name", or "name" with \`release.repositoryOpts.repo\`.`,
    };
  }
  const withoutDependencies = options.dependencyUpdate === true;
  return { reference: isPath ? chart : `./${chart}`, digest: chartDigest(path, { withoutDependencies }) };
}

function problemOf(path: string): string | undefined {
  if (!existsSync(path)) return `there is no folder ${path}.`;
  if (statSync(path).isDirectory()) {
    return existsSync(join(path, "Chart.yaml")) ? undefined : `the folder ${path} has no Chart.yaml.`;
  }
  return /\.(?:tgz|tar\.gz)$/.test(path)
    ? undefined
    : `${path} is a file; give the chart's folder, or a packed chart (.tgz).`;
}
