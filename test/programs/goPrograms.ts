import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { cacheFolder } from "./cacheFolder.ts";
import { findCommand, runCommand } from "./commands.ts";

/** `.github/workflows/tests.yml` installs it, too. */
export const HELM_VERSION = "3.22.0";
export const KUBERNETES_VERSION = "1.34.2";
const [KUBERNETES_MAJOR = "", KUBERNETES_MINOR = ""] = KUBERNETES_VERSION.split(".");

const ACTIONLINT_VERSION = "1.7.12";
export const DISTRIBUTION_VERSION = "3.1.2";
export const CRANE_VERSION = "0.22.1";
/** Operators have both: the options of 1.1 are not those of 1.2. */
export const ORAS_VERSIONS = { "1.1": "1.1.0", "1.2": "1.2.3" } as const;
export const VERSITYGW_VERSION = "1.8.0";
export const FAKE_GCS_VERSION = "1.56.1";

/** The versions that the programs report: by default Helm renders charts for Kubernetes 1.20, and the server is «v0.0.0». */
const VERSION_FLAGS = {
  helm: [
    `-X helm.sh/helm/v3/internal/version.version=v${HELM_VERSION}`,
    ...["pkg/lint/rules", "pkg/chartutil"].flatMap((name) => [
      `-X helm.sh/helm/v3/${name}.k8sVersionMajor=${KUBERNETES_MAJOR}`,
      `-X helm.sh/helm/v3/${name}.k8sVersionMinor=${KUBERNETES_MINOR}`,
    ]),
  ].join(" "),
  kubenode: [
    `-X k8s.io/component-base/version.gitVersion=v${KUBERNETES_VERSION}`,
    `-X k8s.io/component-base/version.gitMajor=${KUBERNETES_MAJOR}`,
    `-X k8s.io/component-base/version.gitMinor=${KUBERNETES_MINOR}`,
    `-X k8s.io/client-go/pkg/version.gitVersion=v${KUBERNETES_VERSION}`,
  ].join(" "),
};

/** Logs a slow build. */
type Say = (what: string) => void;

/** This machine can build none of them. */
export class NoGoError extends Error {}

/** The `helm` command from PATH, else one that is built once. */
export function prepareHelm(say: Say): Promise<string> {
  const flags = `-ldflags=-s -w ${VERSION_FLAGS.helm}`;
  const folder = `helm-${HELM_VERSION}-${digestOf([flags])}`;
  return findOrInstall("helm", folder, `helm.sh/helm/v3/cmd/helm@v${HELM_VERSION}`, say, [flags]);
}

/**
 * The checker of GitHub's workflows from PATH, else one that is built once.
 *
 * @throws NoGoError when it is neither on PATH nor can be built
 */
export function prepareActionlint(say: Say): Promise<string> {
  const source = `github.com/rhysd/actionlint/cmd/actionlint@v${ACTIONLINT_VERSION}`;
  return findOrInstall("actionlint", `actionlint-${ACTIONLINT_VERSION}`, source, say);
}

/** The reference registry of images, from PATH or built once. */
export function prepareRegistry(say: Say): Promise<string> {
  const source = `github.com/distribution/distribution/v3/cmd/registry@v${DISTRIBUTION_VERSION}`;
  return findOrInstall("registry", `distribution-${DISTRIBUTION_VERSION}`, source, say);
}

/** A client of registries that checks images, from PATH or built once. */
export function prepareCrane(say: Say): Promise<string> {
  const source = `github.com/google/go-containerregistry/cmd/crane@v${CRANE_VERSION}`;
  return findOrInstall("crane", `crane-${CRANE_VERSION}`, source, say);
}

/** A client of registries that copies images, of this version: one on PATH may be another. */
export async function prepareOras(version: keyof typeof ORAS_VERSIONS, say: Say): Promise<string> {
  const folder = await cacheFolder(`oras-${ORAS_VERSIONS[version]}`);
  const source = `oras.land/oras/cmd/oras@v${ORAS_VERSIONS[version]}`;
  return buildOnce(join(folder, "oras"), say, (target, env) =>
    runCommand("go", ["install", "-trimpath", source], { env: { ...env, GOBIN: target } }),
  );
}

/** A store with S3's protocol, which also serves buckets as websites, from PATH or built once. */
export function prepareVersitygw(say: Say): Promise<string> {
  const source = `github.com/versity/versitygw/cmd/versitygw@v${VERSITYGW_VERSION}`;
  return findOrInstall("versitygw", `versitygw-${VERSITYGW_VERSION}`, source, say);
}

/** A store with the protocol of Google Cloud Storage, from PATH or built once. */
export function prepareFakeGcs(say: Say): Promise<string> {
  const source = `github.com/fsouza/fake-gcs-server@v${FAKE_GCS_VERSION}`;
  return findOrInstall("fake-gcs-server", `fake-gcs-server-${FAKE_GCS_VERSION}`, source, say);
}

async function findOrInstall(
  command: string,
  folder: string,
  source: string,
  say: Say,
  flags: string[] = [],
): Promise<string> {
  const found = findCommand(command);
  if (found !== undefined) return found;
  const [program = ""] = basename(source).split("@");
  return buildOnce(join(await cacheFolder(folder), program), say, (target, env) =>
    runCommand("go", ["install", "-trimpath", ...flags, source], { env: { ...env, GOBIN: target } }),
  );
}

/**
 * The Kubernetes programs in one binary, built once, and again after a change of its source.
 *
 * @param source folder of its Go module
 */
export async function prepareKubenode(source: string, say: Say): Promise<string> {
  const flags = `-ldflags=-s -w ${VERSION_FLAGS.kubenode}`;
  const files = (await readdir(source)).sort();
  const texts = await Promise.all(files.map((file) => readFile(join(source, file), "utf8")));
  const folder = await cacheFolder(`kubernetes-${KUBERNETES_VERSION}-${digestOf([flags, ...texts])}`);
  return buildOnce(join(folder, "kubenode"), say, (target, env) =>
    runCommand("go", ["build", "-trimpath", flags, "-o", target, "."], { cwd: source, env }),
  );
}

/**
 * Kubernetes' own validation of objects in one program, built once, and again after a change of its source.
 *
 * @param source folder of its Go module
 */
export async function prepareValidation(source: string, say: Say): Promise<string> {
  const files = (await readdir(source)).sort();
  const texts = await Promise.all(files.map((file) => readFile(join(source, file), "utf8")));
  const folder = await cacheFolder(`validation-${KUBERNETES_VERSION}-${digestOf(texts)}`);
  return buildOnce(join(folder, "validation"), say, (target, env) =>
    runCommand("go", ["build", "-trimpath", "-ldflags=-s -w", "-o", target, "."], { cwd: source, env }),
  );
}

/**
 * CoreDNS with the plugins that a node needs, in one program, built once, and again after a change of its source.
 *
 * @param source folder of its Go module
 */
export async function prepareNameserver(source: string, say: Say): Promise<string> {
  const files = (await readdir(source)).sort();
  const texts = await Promise.all(files.map((file) => readFile(join(source, file), "utf8")));
  const folder = await cacheFolder(`nameserver-${digestOf(texts)}`);
  return buildOnce(join(folder, "nameserver"), say, (target, env) =>
    runCommand("go", ["build", "-trimpath", "-ldflags=-s -w", "-o", target, "."], { cwd: source, env }),
  );
}

/**
 * The libraries of cosign 2 and 3 in one program, built once, and again after a change of its source.
 *
 * @param source folder of its Go module
 */
export async function prepareCosign(source: string, say: Say): Promise<string> {
  const files = (await readdir(source)).sort();
  const texts = await Promise.all(files.map((file) => readFile(join(source, file), "utf8")));
  const folder = await cacheFolder(`cosign-${digestOf(texts)}`);
  return buildOnce(join(folder, "cosign"), say, (target, env) =>
    runCommand("go", ["build", "-trimpath", "-ldflags=-s -w", "-o", target, "."], { cwd: source, env }),
  );
}

/** A prefix that is long enough to distinguish builds. */
function digestOf(parts: readonly string[]): string {
  return createHash("sha256").update(parts.join("\0")).digest("hex").slice(0, 12);
}

/** A `kubectl` for PATH that is the one in `kubenode`. */
export async function writeKubectl(folder: string, kubenode: string): Promise<string> {
  const file = join(folder, "kubectl");
  await writeFile(file, `#!/bin/sh\nexec '${kubenode}' kubectl "$@"\n`);
  await chmod(file, 0o755);
  return file;
}

/** @param build writes the program into the given folder: only a complete one is then moved to `file` */
async function buildOnce(
  file: string,
  say: Say,
  build: (folder: string, env: NodeJS.ProcessEnv) => Promise<unknown>,
): Promise<string> {
  if (existsSync(file)) return file;
  if (findCommand("go") === undefined) {
    throw new NoGoError(`Go is not on PATH: ${basename(file)} is built with it.`);
  }
  say(`building ${basename(file)}, which takes some minutes, once`);
  const folder = await mkdtemp(`${file}.draft-`);
  try {
    await build(`${folder}/`, { ...process.env, CGO_ENABLED: "0", GOFLAGS: "-buildvcs=false" });
    await rename(join(folder, basename(file)), file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return file;
}
