import { fieldsOf } from "./content";
import type { Repository } from "./reference";

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
