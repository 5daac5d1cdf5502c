/**
 * Names of images, by the grammar that all registries share:
 * https://pkg.go.dev/github.com/distribution/reference
 */
const COMPONENT = /[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*/.source;
const PATH = new RegExp(`^${COMPONENT}(?:/${COMPONENT})*$`);
const LABEL = /[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?/.source;
const HOST = new RegExp(`^(?:${LABEL}(?:\\.${LABEL})*|\\[[a-fA-F0-9:]+\\])(?::([0-9]{1,5}))?$`);
const TAG = /^\w[\w.-]{0,127}$/;
const DIGEST = /^sha256:[a-f0-9]{64}$/;
/** Longest path, in characters. */
const PATH_LIMIT = 255;

/** Where those images are that are named without a host, and what is before a name of one part there. */
const DEFAULT_HOST = "docker.io";
const DEFAULT_FOLDER = "library";

/** A repository: where images of one name are. */
export interface Repository {
  /** With its port where it has one: `registry.internal:5000`. */
  readonly host: string;
  /** `docs/site`. */
  readonly path: string;
}

/** What a name of an image says. */
export interface Reference extends Repository {
  readonly tag?: string;
  /** `sha256:` and 64 hexadecimal digits. */
  readonly digest?: string;
}

/** A repository as it is written. */
export function repositoryName({ host, path }: Repository): string {
  return `${host}/${path}`;
}

/** An image as it is written, so that it never is another one. */
export function pinned(repository: Repository, digest: string): string {
  return `${repositoryName(repository)}@${digest}`;
}

/** Whether a text is a digest of the one kind that is checked here. */
export function isDigest(text: unknown): text is string {
  return typeof text === "string" && DIGEST.test(text);
}

/** The first part of a name is its host when it cannot be a folder, see `splitDockerDomain` of the grammar's own program. */
function isHost(part: string): boolean {
  return /[.:A-Z[]/.test(part) || part === "localhost";
}

/** @param isBase Docker's short names are understood, too: `nginx:1.30` */
function read(text: string, isBase: boolean): Reference | { problem: string } {
  const problem = (what: string): { problem: string } => ({ problem: what });
  const [, named = "", digest] = /^([^@]*)(?:@(.*))?$/s.exec(text) ?? [];
  const slash = named.indexOf("/");
  const first = slash === -1 ? "" : named.slice(0, slash);
  const hasHost = isHost(first);
  if (!hasHost && !isBase) {
    return problem("must begin with the registry's host, such as registry.example.com/docs/site");
  }
  const host = hasHost ? first : DEFAULT_HOST;
  const [, path = "", tag] = /^([^:]*)(?::(.*))?$/s.exec(hasHost ? named.slice(slash + 1) : named) ?? [];
  const port = HOST.exec(host)?.[1];
  if (!HOST.test(host) || Number(port ?? 1) > 65_535 || Number(port ?? 1) === 0) {
    return problem(`has no usable host: ${quoted(host)}`);
  }
  if (!PATH.test(path)) {
    return problem(
      `has no usable path: ${quoted(path)}. Parts between slashes are lower-case letters and digits, with . _ __ or - between them`,
    );
  }
  if (path.length > PATH_LIMIT) return problem(`has a path of more than ${PATH_LIMIT} characters`);
  if (tag !== undefined && !TAG.test(tag)) return problem(`has no usable tag: ${quoted(tag)}`);
  if (digest !== undefined && !isDigest(digest)) {
    return problem("has no usable digest: it is sha256: and 64 hexadecimal digits in lower case");
  }
  const isShort = host === DEFAULT_HOST && !path.includes("/");
  return {
    host,
    path: isShort ? `${DEFAULT_FOLDER}/${path}` : path,
    ...(tag !== undefined && { tag }),
    ...(digest !== undefined && { digest }),
  };
}

/** Enough of a bad text to know it again. */
function quoted(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}

/** What is wrong with the name of a repository to write to, if anything: with a host, without tag and digest. */
export function repositoryProblem(text: string): string | undefined {
  const found = read(text, false);
  if ("problem" in found) return found.problem;
  if (found.digest !== undefined) return "must not have a digest: that is what a copy is given";
  return found.tag === undefined ? undefined : `must not have a tag: give ${found.tag} as \`tag\``;
}

/** What is wrong with the name of an image to build on, if anything. */
export function baseProblem(text: string): string | undefined {
  const found = read(text, true);
  return "problem" in found ? found.problem : undefined;
}

/** What is wrong with a tag, if anything. */
export function tagProblem(text: string): string | undefined {
  return TAG.test(text)
    ? undefined
    : "must be at most 128 letters, digits, _ . and -, and begin with none of the last two";
}

/** @throws Error for what `repositoryProblem` finds */
export function parseRepository(text: string): Repository {
  return parsed(text, false);
}

/** The name of an image; without a tag and digest it is `latest`. @throws Error for what `baseProblem` finds */
export function parseBase(text: string): Reference {
  const found = parsed(text, true);
  return found.tag === undefined && found.digest === undefined ? { ...found, tag: "latest" } : found;
}

function parsed(text: string, isBase: boolean): Reference {
  const found = read(text, isBase);
  if ("problem" in found) throw new Error(`${quoted(text)} ${found.problem}`);
  return found;
}
