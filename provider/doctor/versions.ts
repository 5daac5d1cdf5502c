import { readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { packageText } from "../base/runtime/files/packageText";
import { InputError } from "../base/runtime/messages/errors";
import { failure, type Finding, findingOf, ok, warning } from "./finding";
import type { DoctorHost } from "./host";
import type { PulumiProject } from "./pulumiProject";

const NAME = "pulumi-docs-hosting";
const SDK = "@pulumi/pulumi";

interface PackageManifest {
  readonly version: string;
  readonly engines: { readonly node: string };
  readonly peerDependencies: Readonly<Record<string, string>>;
}

/** Versions of Node.js and of the packages that a program in TypeScript or JavaScript loads. */
export function versionFindings(host: DoctorHost, project: PulumiProject | undefined): Finding[] {
  const { version, engines, peerDependencies } = JSON.parse(packageText("package.json")) as PackageManifest;
  const needed = engines.node.replace(">=", "");
  const node = isAtLeast(host.nodeVersion, needed)
    ? ok("node", `Node.js ${host.nodeVersion}`)
    : failure(
        "node",
        `Node.js ${host.nodeVersion} is too old`,
        `Install Node.js ${needed} or later, and let it come first on PATH.`,
      );
  if (project?.runtime !== "nodejs") return [node, ok("package", `${NAME} ${version}`)];
  return [
    node,
    findingOf("package", () => packageFinding(project, version)),
    findingOf("pulumi-sdk", () => sdkFinding(project, peerDependencies[SDK]?.replace("^", "") ?? "0.0.0")),
  ];
}

function packageFinding({ program }: PulumiProject, own: string): Finding {
  const install =
    `Run \`npm ci\` there if node_modules is gone; otherwise \`npm install ${NAME}\`, or \`pnpm add ${NAME}\`: it must be a direct dependency ` +
    "of the program, not only of one of its dependencies or of the root of a pnpm workspace.";
  const found = installedVersion(NAME, program, install);
  return found === own
    ? ok("package", `${NAME} ${found}`)
    : warning(
        "package",
        `the program in ${program} loads ${NAME} ${found}, and these checks are those of ${own}`,
        `Run the checks in that folder, with \`npx ${NAME} doctor\`.`,
      );
}

function sdkFinding({ program }: PulumiProject, needed: string): Finding {
  const install = `Run \`npm install ${SDK}\` there.`;
  const found = installedVersion(SDK, program, install);
  const [major] = needed.split(".");
  return found.startsWith(`${major}.`) && isAtLeast(found, needed)
    ? ok("pulumi-sdk", `${SDK} ${found}`)
    : failure(
        "pulumi-sdk",
        `${SDK} ${found} is not supported`,
        `${install} ${needed} or a later ${major}.x is needed.`,
      );
}

/** The version of the Pulumi CLI on PATH. */
export async function cliFinding(host: DoctorHost): Promise<Finding> {
  const { code, stdout } = await host.run("pulumi", ["version"]);
  if (code === 0) return ok("pulumi-cli", `Pulumi CLI ${stdout.trim().replace(/^v/, "")}`);
  return warning(
    "pulumi-cli",
    code === undefined ? "`pulumi` is not on PATH" : `\`pulumi version\` failed with exit code ${code}`,
    "Install it, see https://www.pulumi.com/docs/install/. Programs with the Automation API may bring their own.",
  );
}

/** The version of a package as a program in a folder loads it. @throws InputError, with the remedy, if it cannot */
function installedVersion(name: string, folder: string, remedy: string): string {
  // an entry may hide package.json, so that the folders are searched instead of resolving it
  const places = createRequire(join(folder, "_")).resolve.paths(name) ?? [];
  for (const place of places) {
    const file = join(place, name, "package.json");
    if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) continue;
    const { version } = JSON.parse(readFileSync(file, "utf8")) as Partial<PackageManifest>;
    if (version !== undefined) return version;
  }
  throw new InputError(`the program in ${folder} cannot load ${name}`, remedy);
}

/** Compares versions number by number. */
function isAtLeast(version: string, least: string): boolean {
  return version.localeCompare(least, "en", { numeric: true }) >= 0;
}
