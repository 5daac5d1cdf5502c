import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Reporter } from "../messages/reporter";
import { runCredentialHelper, type CredentialContext } from "./credentialHelper";
import { credentialSources, type Credential } from "./dockerConfiguration";
import type { Repository } from "./reference";

/**
 * Finds the credential for a repository's registry in the configurations of Docker and of the containers tools.
 *
 * @returns undefined when there is none: the user is not logged in
 */
export async function findCredential(
  repository: Repository,
  context: CredentialContext,
): Promise<Credential | undefined> {
  for (const file of configurationFiles(context.environment)) {
    const configuration = await readConfiguration(file, context.reporter);
    for (const source of credentialSources(configuration, repository)) {
      const credential =
        "credential" in source
          ? source.credential
          : await runCredentialHelper(source.helper, source.server, context);
      if (credential) return credential;
    }
  }
  return undefined;
}

/** The possible configuration files; those named by environment variables come first. */
export function configurationFiles(environment: (name: string) => string | undefined): string[] {
  const valueOf = (name: string): string | undefined => environment(name) || undefined;
  const home = valueOf("HOME") ?? valueOf("USERPROFILE");
  const files: readonly (readonly [folder: string | undefined, ...path: string[]])[] = [
    [valueOf("REGISTRY_AUTH_FILE")],
    [valueOf("DOCKER_CONFIG"), "config.json"],
    [valueOf("XDG_RUNTIME_DIR"), "containers", "auth.json"],
    [valueOf("XDG_CONFIG_HOME") ?? (home && join(home, ".config")), "containers", "auth.json"],
    [home, ".docker", "config.json"],
  ];
  return files.flatMap(([folder, ...path]) => (folder === undefined ? [] : [join(folder, ...path)]));
}

async function readConfiguration(file: string, reporter: Reporter): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, "utf8")) as unknown;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // the error of JSON.parse quotes the file, including credentials
    const reason = code ?? "it is not JSON";
    if (code !== "ENOENT" && code !== "ENOTDIR") {
      reporter.warn(`${file} is not used for credentials of registries: ${reason}`);
    }
    return undefined;
  }
}
