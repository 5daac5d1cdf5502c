import { isDigest } from "../../../base/runtime/values/digest";
/**
 * Names of images, by the grammar that all registries share:
 * https://pkg.go.dev/github.com/distribution/reference
 */
const COMPONENT = /[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*/.source;
const PATH = new RegExp(`^${COMPONENT}(?:/${COMPONENT})*$`);
const LABEL = /[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?/.source;
const HOST = new RegExp(`^(?:${LABEL}(?:\\.${LABEL})*|\\[[a-fA-F0-9:]+\\])(?::([0-9]{1,5}))?$`);
const TAG = /^\w[\w.-]{0,127}$/;
/** Longest path, in characters. */
const PATH_LIMIT = 255;

/** The host of images that are named without one, and the folder of its names with one part. */
const DEFAULT_HOST = "docker.io";
const DEFAULT_FOLDER = "library";

/** A repository: all images with one name. */
export interface Repository {
  /** With its port, if any: `registry.internal:5000`. */
  readonly host: string;
  /** `docs/site`. */
  readonly path: string;
}

/** The parsed name of an image. */
export interface ImageReference extends Repository {
  readonly tag?: string;
  /** `sha256:` and 64 hexadecimal digits. */
  readonly digest?: string;
}

export function repositoryName({ host, path }: Repository): string {
  return `${host}/${path}`;
}

/** Formats an image's name with its digest, which never refers to another image. */
export function pinned(repository: Repository, digest: string): string {
  return `${repositoryName(repository)}@${digest}`;
}

/** @param isBase also accepts Docker's short names: `nginx:1.30` @returns the problem of an invalid name, as a text */
function read(text: string, isBase: boolean): ImageReference | string {
  const [scheme] = /^[a-z][a-z0-9+.-]*:\/\//i.exec(text) ?? [];
  if (scheme !== undefined) {
    return `must not begin with «${scheme}»: write ${quoted(text.slice(scheme.length))}`;
  }
  const [, named = "", digest] = /^([^@]*)(?:@(.*))?$/s.exec(text) ?? [];
  const slash = named.indexOf("/");
  const first = named.slice(0, Math.max(slash, 0));
  // the first part is a host if it cannot be a folder, see `splitDockerDomain` in the grammar's reference implementation
  const hasHost = /[.:A-Z[]/.test(first) || first === "localhost";
  if (!hasHost && !isBase) {
    return "must begin with the registry's host, such as registry.example.com/docs/site";
  }
  const host = hasHost ? first : DEFAULT_HOST;
  const [, path = "", tag] = /^([^:]*)(?::(.*))?$/s.exec(hasHost ? named.slice(slash + 1) : named) ?? [];
  const port = Number(HOST.exec(host)?.[1] ?? 1);
  if (!HOST.test(host) || port > 65_535 || port === 0) return `has no usable host: ${quoted(host)}`;
  if (!PATH.test(path)) {
    return `has no usable path: ${quoted(path)}. Parts between slashes are lower-case letters and digits, with . _ __ or - between them`;
  }
  if (path.length > PATH_LIMIT) return `has a path of more than ${PATH_LIMIT} characters`;
  if (tag !== undefined && !TAG.test(tag)) return `has no usable tag: ${quoted(tag)}`;
  if (digest !== undefined && !isDigest(digest)) {
    return "has no usable digest: it is sha256: and 64 hexadecimal digits in lower case";
  }
  const isShort = host === DEFAULT_HOST && !path.includes("/");
  return {
    host,
    path: isShort ? `${DEFAULT_FOLDER}/${path}` : path,
    ...(tag !== undefined && { tag }),
    ...(digest !== undefined && { digest }),
  };
}

/** The start of an invalid text, enough to recognise it. */
function quoted(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}

/** The problem of a repository's name, if any: it needs a host, and must have no tag and no digest. */
export function repositoryProblem(text: string): string | undefined {
  const found = read(text, false);
  if (typeof found === "string") return found;
  if (found.digest !== undefined) return "must not have a digest: each copy gets its own";
  return found.tag === undefined ? undefined : `must not have a tag: give ${found.tag} as \`tag\``;
}

/** The problem of a base image's name, if any. */
export function baseProblem(text: string): string | undefined {
  const found = read(text, true);
  return typeof found === "string" ? found : undefined;
}

/** The problem of a tag, if any. */
export function tagProblem(text: string): string | undefined {
  return TAG.test(text)
    ? undefined
    : "must be at most 128 letters, digits, _ . and -, and begin with none of the last two";
}

/** @throws Error for a name that `repositoryProblem` refuses */
export function parseRepository(text: string): Repository {
  return parsed(text, false);
}

/** Parses the name of an image; the default tag is `latest`. @throws Error for a name that `baseProblem` refuses */
export function parseBase(text: string): ImageReference {
  const found = parsed(text, true);
  return found.tag === undefined && found.digest === undefined ? { ...found, tag: "latest" } : found;
}

function parsed(text: string, isBase: boolean): ImageReference {
  const found = read(text, isBase);
  if (typeof found === "string") throw new Error(`${quoted(text)} ${found}`);
  return found;
}
