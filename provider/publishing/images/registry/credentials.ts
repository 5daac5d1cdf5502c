import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseJson } from "../../../base/http/reply";
import { checkFileVariables, isFileContent } from "../../../base/runtime/files/fileVariables";
import { redact } from "../../../base/runtime/messages/plainText";
import { fieldsOf } from "./content";
import type { RegistryContext } from "./exchange";
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

/** What the search for a credential needs from the outside. */
export type CredentialContext = Pick<RegistryContext, "environment" | "reporter" | "secrets" | "signal">;

/** Maximum time of a helper, in milliseconds: some ask a remote service. */
const HELPER_LIMIT_MS = 20_000;
/** Maximum size of what a helper prints, in bytes. */
const ANSWER_LIMIT = 1024 * 1024;

/**
 * Runs `docker-credential-NAME`, see https://github.com/docker/docker-credential-helpers. A missing or failing helper causes a
 * warning, and counts as one without a credential.
 *
 * @throws the signal's reason
 */
export async function runCredentialHelper(
  name: string,
  server: string,
  { environment, reporter, signal }: Omit<CredentialContext, "secrets">,
): Promise<Credential | undefined> {
  signal.throwIfAborted();
  const command = `docker-credential-${name}`;
  const { code, output } = await new Promise<{ code: number | string; output: string }>((resolve) => {
    const options = {
      // it may need any variable: settings of its cloud, the session's key ring
      env: { ...process.env, HOME: environment("HOME"), PATH: environment("PATH") },
      timeout: HELPER_LIMIT_MS,
      killSignal: "SIGKILL",
      maxBuffer: ANSWER_LIMIT,
      signal,
    } as const;
    const { stdin } = execFile(command, ["get"], options, (error, printed) =>
      resolve({ code: error ? (error.code ?? error.signal ?? "ended") : 0, output: printed }),
    );
    stdin?.on("error", () => undefined); // a helper need not read its input
    stdin?.end(server);
  });
  signal.throwIfAborted();
  if (code === 0) {
    const credential = helperCredential(parseJson(output));
    if (credential === undefined) reporter.warn(`${command} printed no credential for ${server}`);
    return credential;
  }
  // the output says that the helper has no credential: it has no exit code for that
  if (!/credentials not found/i.test(output)) {
    const details = typeof code === "number" ? redact(output, 200) : "";
    reporter.warn(`${command} gave no credential for ${server} (${code})${details && `: ${details}`}`);
  }
  return undefined;
}

/** A credential that a registry or its token service accepts. */
export type Credential =
  | { readonly username: string; readonly password: string }
  /** A refresh token, which gets other tokens (OAuth 2). */
  | { readonly identityToken: string };

/** The name of Docker's registry in configurations and for helpers. */
const DOCKER_SERVER = "https://index.docker.io/v1/";
const DOCKER_NAMES = new Set(["docker.io", "index.docker.io", "registry-1.docker.io"]);

/** The user name that marks a password as an identity token. */
const TOKEN_USER = "<token>";

/** A credential of a configuration, or the helper that has it. */
type CredentialSource =
  | { readonly credential: Credential }
  | {
      /** The helper is `docker-credential-NAME get`. */
      readonly helper: string;
      /** What it is asked for. */
      readonly server: string;
    };

/**
 * The credentials for a repository's registry in a configuration of Docker or of the containers tools, best match first, see
 * https://docs.docker.com/reference/cli/docker/login/ and https://github.com/containers/image/blob/main/docs/containers-auth.json.5.md
 *
 * @param configuration the file's content, as JSON
 */
export function credentialSources(configuration: unknown, repository: Repository): CredentialSource[] {
  const { auths, credHelpers, credsStore } = fieldsOf(configuration);
  const server = DOCKER_NAMES.has(repository.host) ? DOCKER_SERVER : repository.host;
  const helpers = [...matching(fieldsOf(credHelpers), repository), credsStore].filter(
    // the name of a program, never a path
    (name): name is string => typeof name === "string" && /^[\w.-]+$/.test(name),
  );
  return [
    ...helpers.map((helper) => ({ helper, server })),
    ...matching(fieldsOf(auths), repository)
      .map((entry) => credentialOf(fieldsOf(entry)))
      .filter((credential) => credential !== undefined)
      .map((credential) => ({ credential })),
  ];
}

/** Reads the output of a helper. @returns undefined when it contains no usable credential */
export function helperCredential(printed: unknown): Credential | undefined {
  const { Username: username, Secret: password } = fieldsOf(printed);
  if (typeof username !== "string" || typeof password !== "string" || password === "") return undefined;
  return username === TOKEN_USER ? { identityToken: password } : { username, password };
}

/** The values whose keys name the repository's registry or one of its parent folders: the most specific first. */
function matching(table: Readonly<Record<string, unknown>>, { host, path }: Repository): unknown[] {
  const name = `${host}/${path}`;
  const isDocker = DOCKER_NAMES.has(host);
  return (
    Object.entries(table)
      // Docker's keys may be URLs of an API
      .map(([key, value]) => ({ place: key.replace(/^https?:\/\/|(?:\/v[12])?\/*$/g, ""), value }))
      .filter(
        ({ place }) =>
          name === place || name.startsWith(`${place}/`) || (isDocker && DOCKER_NAMES.has(place)),
      )
      .sort((one, other) => other.place.length - one.place.length)
      .map(({ value }) => value)
  );
}

function credentialOf(entry: Readonly<Record<string, unknown>>): Credential | undefined {
  const { auth, username, password, identitytoken } = entry;
  if (typeof identitytoken === "string" && identitytoken !== "") return { identityToken: identitytoken };
  if (typeof auth === "string" && auth !== "") {
    const [, user, secret] =
      /^([^:]*):(.*)$/s.exec(Buffer.from(auth, "base64").toString().replace(/\0+$/, "")) ?? [];
    if (user !== undefined && secret !== undefined) return { username: user, password: secret };
  }
  return typeof username === "string" && typeof password === "string" ? { username, password } : undefined;
}
