import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { checkFileVariables, isFileContent } from "../../../base/runtime/files/fileVariables";
import { type CredentialContext, runCredentialHelper } from "./credentialHelper";
import { type Credential, credentialSources } from "./dockerConfiguration";
import type { Repository } from "./reference";

/** How the search for a credential ended, for remedies. */
export interface CredentialSearch {
  /** The files and variables that may have one. */
  readonly places: readonly string[];
  /** The one that had it. */
  readonly place?: string | undefined;
}

/** The content of a configuration of Docker, as GitLab's jobs and Docker itself have it. */
const INLINE = "DOCKER_AUTH_CONFIG";
/** The variables that name such a file, or its folder. */
const NAMED = ["REGISTRY_AUTH_FILE", "DOCKER_CONFIG"];

/** A credential, and where it is from. */
export interface FoundCredential {
  readonly credential: Credential;
  /** The file or variable that has it, or names its helper. */
  readonly place: string;
}

/**
 * Finds the credential for a repository's registry in the configurations of Docker and of the containers tools.
 *
 * @returns undefined when there is none: the user is not logged in
 * @throws ConfigurationError if a variable contains a login in place of a file's name
 */
export async function findCredential(
  repository: Repository,
  context: CredentialContext,
): Promise<FoundCredential | undefined> {
  checkFileVariables(NAMED, context);
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
  user: number | null = process.platform === "linux" ? (process.getuid?.() ?? null) : null,
): string[] {
  const valueOf = (name: string): string | undefined => environment(name) || undefined;
  const fileOf = (name: string): string | undefined =>
    isFileContent(environment(name) ?? "") ? undefined : valueOf(name);
  const home = valueOf("HOME") ?? valueOf("USERPROFILE");
  const session = valueOf("XDG_RUNTIME_DIR");
  const below = (folder: string | undefined, ...path: string[]): string[] =>
    folder === undefined ? [] : [join(folder, ...path)];
  return [
    ...below(fileOf("REGISTRY_AUTH_FILE")),
    ...below(valueOf(INLINE) && INLINE),
    ...below(fileOf("DOCKER_CONFIG"), "config.json"),
    ...below(session, "containers", "auth.json"),
    // where podman keeps a login if there is no folder of a session, as of root in a container
    ...(session === undefined && user !== null ? [`/run/containers/${user}/auth.json`] : []),
    ...below(valueOf("XDG_CONFIG_HOME") ?? (home && join(home, ".config")), "containers", "auth.json"),
    ...below(home, ".docker", "config.json"),
  ];
}

async function readConfiguration(
  place: string,
  { environment, reporter }: CredentialContext,
): Promise<unknown> {
  try {
    const text = place === INLINE ? environment(INLINE) : await readFile(place, "utf8");
    return JSON.parse((text ?? "").replace(/^\uFEFF/, "")) as unknown; // editors of Windows write a mark
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
