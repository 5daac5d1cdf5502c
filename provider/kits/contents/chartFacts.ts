import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { parse } from "yaml";
import { InputError } from "../../base/runtime/messages/errors";

/** The fields of `Chart.yaml` that are used. */
export interface ChartFacts {
  readonly name: string;
  readonly version: string;
  readonly hasDependencies: boolean;
  /** The range of versions of Kubernetes that the chart accepts. */
  readonly kubeVersion?: string;
}

/**
 * Parses a `Chart.yaml`.
 *
 * @param where the chart, for messages
 * @throws InputError
 */
export function chartFacts(yaml: string, where: string): ChartFacts {
  const { name, version, kubeVersion, dependencies } = parsed(yaml, where);
  // helm's rules for both, see `ValidateName` and `semver`
  if (typeof name !== "string" || !/^[a-zA-Z0-9][a-zA-Z0-9._-]*$/.test(name)) throw wrong(where, "name");
  if (typeof version !== "string" || !/^[0-9A-Za-z][0-9A-Za-z.+-]*$/.test(version)) {
    throw wrong(where, "version");
  }
  return {
    name,
    version,
    /** Supported Kubernetes versions, as the chart declares them. */
    ...(typeof kubeVersion === "string" && { kubeVersion }),
    hasDependencies: Array.isArray(dependencies) && dependencies.length > 0,
  };
}

function parsed(yaml: string, where: string): Record<string, unknown> {
  try {
    return Object(parse(yaml, { logLevel: "error" })) as Record<string, unknown>;
  } catch (error) {
    throw new InputError(
      `the Chart.yaml of ${where} is not valid YAML: ${(error as Error).message}`,
      "Fix it.",
    );
  }
}

function wrong(where: string, key: string): InputError {
  return new InputError(
    `the chart ${where} has no usable ${key} in its Chart.yaml`,
    `Write it as a text, such as «${key}: ${key === "name" ? "docs" : "1.0.0"}».`,
  );
}

/**
 * Reads the chart in a folder, and verifies that its dependencies exist.
 *
 * @returns `undefined` for a file: a packed chart
 * @throws InputError
 */
export function chartInFolder(path: string): ChartFacts | undefined {
  const at = resolve(path);
  const stats = statSync(at, { throwIfNoEntry: false });
  if (!stats) {
    throw new InputError(`there is no chart ${path}`, "Give the path of its folder or of its .tgz.");
  }
  if (!stats.isDirectory()) return undefined;
  let yaml: string;
  try {
    yaml = readFileSync(join(at, "Chart.yaml"), "utf8");
  } catch {
    throw new InputError(
      `the folder ${path} is not a chart: it has no Chart.yaml`,
      "Give the path of a chart.",
    );
  }
  const facts = chartFacts(yaml, path);
  const charts = join(at, "charts");
  if (facts.hasDependencies && !(existsSync(charts) && readdirSync(charts).length > 0)) {
    throw new InputError(
      `the chart ${path} depends on other charts, but its folder charts/ has none`,
      `Run \`helm dependency build ${path}\` first: they cannot be downloaded where the kit is used.`,
    );
  }
  return facts;
}
