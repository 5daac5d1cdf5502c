// A chart as a Release names it, loaded by `helm`: a folder or archive of the program, a repository's, or an OCI
// reference. What helm would take for a chart and Pulumi doesn't is told apart here.
import { existsSync, statSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { yaml } from "../wire.ts";
import { HelmError, type HelmCommand } from "./helmCommand.ts";
import type { ReleaseFields } from "./releaseFields.ts";

/** The arguments by which `helm` finds it. @throws HelmError */
export function locateChart(release: ReleaseFields, folder: string): string[] {
  const { repositoryOpts } = release;
  const { name, repo } = resolveName(release.chart.trim(), repositoryOpts?.repo ?? "");
  const version = release.version.trim();
  const options = [
    ...(version ? ["--version", version] : release.devel ? ["--version", ">0.0.0-0"] : []),
    ...(repo ? ["--repo", repo] : []),
    ...(["caFile", "certFile", "keyFile"] as const).flatMap((key) => {
      const file = repositoryOpts?.[key];
      return file ? [`--${key.replace("F", "-f")}`, resolve(folder, file)] : [];
    }),
  ];
  if (repo) return [name, ...options];
  if (isLocal(resolve(folder, name))) return [resolve(folder, name), ...options];
  if (isAbsolute(name) || name.startsWith(".")) throw new HelmError(`path "${name}" not found`);
  return [name, ...options];
}

/** @returns the version that it has @throws HelmError */
export async function loadChart(helm: HelmCommand, release: ReleaseFields, folder: string): Promise<string> {
  const [chart = "", ...options] = locateChart(release, folder);
  const described = yaml.load(await helm.run(["show", "chart", chart, ...options])) as {
    version: string;
    dependencies?: unknown[];
  };
  if (described.dependencies && isAbsolute(chart)) await refuseMissingDependencies(helm, chart);
  return described.version;
}

async function refuseMissingDependencies(helm: HelmCommand, chart: string): Promise<void> {
  const table = await helm.run(["dependency", "list", chart, "--max-col-width", "0"]);
  const missing = table
    .split("\n")
    .map((row) => row.split("\t").map((cell) => cell.trim()))
    .filter((cells) => cells.at(-1) === "missing")
    .map(([name]) => name);
  if (missing.length === 0) return;
  throw new HelmError(`found in Chart.yaml, but missing in charts/ directory: ${missing.join(", ")}`);
}

function resolveName(name: string, repository: string): { name: string; repo?: string } {
  if (name.startsWith("oci://")) return { name };
  if (URL.canParse(repository) || repository.startsWith("/")) return { name, repo: repository };
  return { name: repository && !name.includes("/") ? `${repository}/${name}` : name };
}

/** A folder without Chart.yaml may still be the name of a chart that is elsewhere. */
const isLocal = (path: string): boolean =>
  existsSync(path) && (!statSync(path).isDirectory() || existsSync(join(path, "Chart.yaml")));
