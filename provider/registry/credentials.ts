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
  const below = (name: string, ...path: string[]): string[] => {
    const folder = environment(name);
    return folder === undefined || folder === "" ? [] : [join(folder, ...path)];
  };
  const homes = ["HOME", "USERPROFILE"].flatMap((name) => below(name)).slice(0, 1);
  const configFolders = below("XDG_CONFIG_HOME");
  return [
    ...below("REGISTRY_AUTH_FILE"),
    ...below("DOCKER_CONFIG", "config.json"),
    ...below("XDG_RUNTIME_DIR", "containers", "auth.json"),
    ...(configFolders.length > 0 ? configFolders : homes.map((home) => join(home, ".config"))).map((folder) =>
      join(folder, "containers", "auth.json"),
    ),
    ...homes.map((home) => join(home, ".docker", "config.json")),
  ];
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
