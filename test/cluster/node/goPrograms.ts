import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, mkdtemp, readFile, readdir, rename, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { cacheFolder } from "./cacheFolder.ts";
import { findCommand, runCommand } from "./commands.ts";

const HELM_VERSION = "3.22.0";
const KUBERNETES_VERSION = "1.34.2";

/** The server tells its version, and Helm asks for it: without these it would be «v0.0.0-master». */
const KUBERNETES_VERSION_FLAGS = [
  `-X k8s.io/component-base/version.gitVersion=v${KUBERNETES_VERSION}`,
  `-X k8s.io/component-base/version.gitMajor=${KUBERNETES_VERSION.split(".")[0] ?? ""}`,
  `-X k8s.io/component-base/version.gitMinor=${KUBERNETES_VERSION.split(".")[1] ?? ""}`,
  `-X k8s.io/client-go/pkg/version.gitVersion=v${KUBERNETES_VERSION}`,
].join(" ");

/** The `helm` command from PATH, else one that is built once. */
export async function prepareHelm(say: (what: string) => void): Promise<string> {
  const found = findCommand("helm");
  if (found !== undefined) return found;
  return buildOnce(join(await cacheFolder(`helm-${HELM_VERSION}`), "helm"), say, (target, env) =>
    runCommand(
      "go",
      ["install", "-trimpath", "-ldflags=-s -w", `helm.sh/helm/v3/cmd/helm@v${HELM_VERSION}`],
      {
        env: { ...env, GOBIN: target },
      },
    ),
  );
}

/** The Kubernetes programs in one binary, built once; a change of its source builds it anew. */
export async function prepareKubenode(say: (what: string) => void): Promise<string> {
  const source = join(import.meta.dirname, "kubenode");
  const digest = createHash("sha256").update(KUBERNETES_VERSION_FLAGS);
  for (const file of (await readdir(source)).sort()) digest.update(await readFile(join(source, file)));
  const name = `kubernetes-${KUBERNETES_VERSION}-${digest.digest("hex").slice(0, 12)}`;
  return buildOnce(join(await cacheFolder(name), "kubenode"), say, (target, env) =>
    runCommand(
      "go",
      ["build", "-trimpath", `-ldflags=-s -w ${KUBERNETES_VERSION_FLAGS}`, "-o", target, "."],
      {
        cwd: source,
        env,
      },
    ),
  );
}

/** A `kubectl` for PATH that is the one in `kubenode`. */
export async function writeKubectl(folder: string, kubenode: string): Promise<string> {
  const file = join(folder, "kubectl");
  await writeFile(file, `#!/bin/sh\nexec '${kubenode}' kubectl "$@"\n`);
  await chmod(file, 0o755);
  return file;
}

/** @param build puts the program into the folder that it is given: only a whole one is then moved to `file` */
async function buildOnce(
  file: string,
  say: (what: string) => void,
  build: (folder: string, env: NodeJS.ProcessEnv) => Promise<unknown>,
): Promise<string> {
  if (existsSync(file)) return file;
  if (findCommand("go") === undefined)
    throw new Error(`Go is not on PATH: ${basename(file)} is built with it.`);
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
