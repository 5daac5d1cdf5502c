import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { runCredentialHelper, type CredentialContext } from "./credentialHelper";
import { credentialSources, type Credential } from "./dockerConfiguration";
import type { Repository } from "./reference";

/** A credential, and the file or variable that has it or names its helper. */
export interface FoundCredential {
  readonly credential: Credential;
  readonly place: string;
}

/** How the search for a credential ended, for remedies. */
export interface CredentialSearch {
  /** The files and variables that may have one. */
  readonly places: readonly string[];
  /** The one that had it. */
  readonly place?: string | undefined;
}

/** The content of a configuration of Docker, as GitLab's jobs and Docker itself have it. */
const INLINE = "DOCKER_AUTH_CONFIG";

/**
 * Finds the credential for a repository's registry in the configurations of Docker and of the containers tools.
 *
 * @returns undefined when there is none: the user is not logged in
 */
export async function findCredential(
  repository: Repository,
  context: CredentialContext,
): Promise<FoundCredential | undefined> {
  for (const place of credentialPlaces(context.environment)) {
    const configuration = await readConfiguration(place, context);
    for (const source of credentialSources(configuration, repository)) {
      const credential =
        "credential" in source
          ? source.credential
          : await runCredentialHelper(source.helper, source.server, context);
      if (credential) return { credential, place };
    }
  }
  return undefined;
}

/**
 * The files that may have credentials, and the variable that may have one itself; those that environment variables name come first.
 *
 * @param user the number of this process's user; null where podman has no such folder
 */
export function credentialPlaces(
  environment: (name: string) => string | undefined,
  user = process.platform === "linux" ? (process.getuid?.() ?? null) : null,
): string[] {
  const valueOf = (name: string): string | undefined => environment(name) || undefined;
  const home = valueOf("HOME") ?? valueOf("USERPROFILE");
  // where podman keeps a login if there is no folder of a session, as of root in a container
  const runtimeFolder = valueOf("XDG_RUNTIME_DIR") ?? (user === null ? undefined : `/run/containers/${user}`);
  const inRuntimeFolder =
    valueOf("XDG_RUNTIME_DIR") === undefined ? ["auth.json"] : ["containers", "auth.json"];
  const files: readonly (readonly [folder: string | undefined, ...path: string[]])[] = [
    [valueOf("REGISTRY_AUTH_FILE")],
    [valueOf(INLINE) && INLINE],
    [valueOf("DOCKER_CONFIG"), "config.json"],
    [runtimeFolder, ...inRuntimeFolder],
    [valueOf("XDG_CONFIG_HOME") ?? (home && join(home, ".config")), "containers", "auth.json"],
    [home, ".docker", "config.json"],
  ];
  return files.flatMap(([folder, ...path]) => (folder === undefined ? [] : [join(folder, ...path)]));
}

async function readConfiguration(
  place: string,
  { environment, reporter }: CredentialContext,
): Promise<unknown> {
  try {
    const text = place === INLINE ? environment(INLINE) : await readFile(place, "utf8");
    return JSON.parse(text ?? "") as unknown;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // the error of JSON.parse quotes the file, including credentials
    const reason = code ?? "it is not JSON";
    if (code !== "ENOENT" && code !== "ENOTDIR") {
      reporter.warn(`${place} is not used for credentials of registries: ${reason}`);
    }
    return undefined;
  }
}
