import type { Repository } from "./reference";

/** What a registry, or who gives its tokens, takes for a person or a machine. */
export type Credential =
  | { readonly username: string; readonly password: string }
  /** A token that other tokens are got with (OAuth 2). */
  | { readonly identityToken: string };

/** Where a credential is to be had. */
export type CredentialSource =
  | { readonly credential: Credential }
  /** `docker-credential-NAME get`, asked for `server`. */
  | { readonly helper: string; readonly server: string };

/** As what Docker's own registry is known in configurations and to helpers. */
const DOCKER_SERVER = "https://index.docker.io/v1/";
const DOCKER_NAMES = new Set(["docker.io", "index.docker.io", "registry-1.docker.io"]);

/** User name that says that the password of it is an identity token. */
const TOKEN_USER = "<token>";

/**
 * What a configuration of Docker or of the containers tools says of a repository's registry, the best first, see
 * https://docs.docker.com/reference/cli/docker/login/ and https://github.com/containers/image/blob/main/docs/containers-auth.json.5.md
 *
 * @param configuration the file's content, as JSON
 */
export function credentialSources(configuration: unknown, repository: Repository): CredentialSource[] {
  const { auths, credHelpers, credsStore } = objectOf(configuration);
  const server = DOCKER_NAMES.has(repository.host) ? DOCKER_SERVER : repository.host;
  const helpers = [...matching(objectOf(credHelpers), repository), credsStore].filter(
    // the name of a program: never a path
    (name): name is string => typeof name === "string" && /^[\w.-]+$/.test(name),
  );
  return [
    ...helpers.map((helper) => ({ helper, server })),
    ...matching(objectOf(auths), repository)
      .map((entry) => credentialOf(objectOf(entry)))
      .filter((credential) => credential !== undefined)
      .map((credential) => ({ credential })),
  ];
}

/** What a helper prints. @returns undefined when it is nothing that can be used */
export function helperCredential(printed: unknown): Credential | undefined {
  const { Username: username, Secret: password } = objectOf(printed);
  if (typeof username !== "string" || typeof password !== "string" || password === "") return undefined;
  return username === TOKEN_USER ? { identityToken: password } : { username, password };
}

/** The values of the keys that name the repository's registry, or folders of it that the repository is in: the closest first. */
function matching(table: Readonly<Record<string, unknown>>, { host, path }: Repository): unknown[] {
  const name = `${host}/${path}`;
  return Object.entries(table)
    .map(([key, value]) => ({ place: placeOf(key), value }))
    .filter(({ place }) => name === place || name.startsWith(`${place}/`) || isDocker(place, host))
    .sort((one, other) => other.place.length - one.place.length)
    .map(({ value }) => value);
}

function isDocker(place: string, host: string): boolean {
  return DOCKER_NAMES.has(place) && DOCKER_NAMES.has(host);
}

/** Docker's keys may be addresses of an API. */
function placeOf(key: string): string {
  return key
    .replace(/^https?:\/\//, "")
    .replace(/\/+$/, "")
    .replace(/\/v[12]$/, "");
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

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}
