import type { RegistryReply } from "./memoryRegistry.ts";
import type { RegistryStub } from "./registryStub.ts";

/** How a registry differs from distribution, as users have reported it. */
export interface RegistryQuirk {
  /** Reply in place of the registry's own one, for a request with a sufficient token. */
  readonly reply?: (
    method: string,
    path: string,
    query: URLSearchParams,
  ) => RegistryReply | number | undefined;
  /** The actions of which a token needs one, for a request. @default pull to read, otherwise push */
  readonly needs?: (method: string, path: string) => readonly string[];
  /** The actions that the challenge names. @default those of distribution */
  readonly names?: (method: string) => string;
  /** The status with which the token service refuses these scopes. */
  readonly refuses?: (scopes: readonly string[]) => number | undefined;
}

const isRead = (method: string): boolean => method === "GET" || method === "HEAD";
const isBlob = (path: string): boolean => /\/blobs\/sha256/.test(path);
const isManifest = (path: string): boolean => path.includes("/manifests/");
const actionsIn = (scope: string): string[] => scope.split(":").at(-1)?.split(",") ?? [];
const pushes = (method: string): string => (isRead(method) ? "pull" : "pull,push");

/** Quirks by registry or by what is strange. */
export const REGISTRY_QUIRKS = {
  "none, with tokens": {},
  "Quay: its token service knows no delete, and a removal needs push": {
    names: pushes,
    refuses: (scopes) => (scopes.some((scope) => actionsIn(scope).includes("delete")) ? 400 : undefined),
  },
  "IBM Cloud: a removal needs delete, and nothing else with it": {
    needs: (method, path) =>
      method === "DELETE" && isManifest(path) ? ["delete"] : [isRead(method) ? "pull" : "push"],
    names: (method) => (method === "DELETE" ? "delete" : pushes(method)),
    refuses: (scopes) =>
      scopes.some((scope) => actionsIn(scope).includes("delete") && actionsIn(scope).length > 1)
        ? 400
        : undefined,
  },
  "older distribution: a removal needs *": {
    needs: (method) => (method === "DELETE" ? ["*"] : [isRead(method) ? "pull" : "push", "*"]),
    names: (method) => (method === "DELETE" ? "*" : pushes(method)),
  },
  "ECR Public: 401 to each HEAD of a blob": {
    reply: (method, path) => (method === "HEAD" && isBlob(path) ? 401 : undefined),
  },
  "403 to each HEAD of a blob": {
    reply: (method, path) => (method === "HEAD" && isBlob(path) ? 403 : undefined),
  },
  "403 to each HEAD of a manifest": {
    reply: (method, path) => (method === "HEAD" && isManifest(path) ? 403 : undefined),
  },
  "401 to a mount": { reply: (_method, _path, query) => (query.has("mount") ? 401 : undefined) },
  "500 to a mount": { reply: (_method, _path, query) => (query.has("mount") ? 500 : undefined) },
  "400 to a mount": { reply: (_method, _path, query) => (query.has("mount") ? 400 : undefined) },
  "405 to a mount": { reply: (_method, _path, query) => (query.has("mount") ? 405 : undefined) },
  "no token for a mount": { refuses: (scopes) => (scopes.length > 1 ? 403 : undefined) },
  "no HEAD of a manifest": {
    reply: (method, path) => (method === "HEAD" && isManifest(path) ? 405 : undefined),
  },
} satisfies Readonly<Record<string, RegistryQuirk>>;

/** Quirks of registries that remove nothing, and what the warning quotes. */
export const REFUSED_REMOVALS = {
  "GitHub: 405": [{ reply: (method) => (method === "DELETE" ? 405 : undefined) }, "answered 405"],
  "403 without a reason": [{ reply: (method) => (method === "DELETE" ? 403 : undefined) }, "answered 403"],
  "401 with any token": [{ reply: (method) => (method === "DELETE" ? 401 : undefined) }, "answered 401"],
  "400 because tags are immutable": [
    {
      reply: (method) =>
        method === "DELETE"
          ? { status: 400, body: { errors: [{ code: "DENIED", message: "immutable" }] } }
          : undefined,
    },
    "answered 400: DENIED: immutable",
  ],
  "no token for a removal": [
    {
      needs: (method) => [method === "DELETE" ? "delete" : isRead(method) ? "pull" : "push"],
      names: (method) => (method === "DELETE" ? "delete" : pushes(method)),
      refuses: (scopes) => (scopes.some((scope) => actionsIn(scope).includes("delete")) ? 403 : undefined),
    },
    "/token answered 403",
  ],
} satisfies Readonly<Record<string, readonly [RegistryQuirk, string]>>;

/** The password that the token service accepts, and the header with it. */
export const QUIRKY_LOGIN = { username: "me", password: "geheim" };
const BASIC = `Basic ${Buffer.from("me:geheim").toString("base64")}`;

/** Gives a registry tokens and a quirk. @returns the scopes of all requests for a token */
export function addQuirk(registry: RegistryStub, quirk: RegistryQuirk): string[][] {
  const { needs = (method: string) => [isRead(method) ? "pull" : "push"], names = pushes } = quirk;
  const asked: string[][] = [];
  registry.rule = (method, path, query, { authorization }) => {
    if (path === "/token") {
      const scopes = query.getAll("scope");
      asked.push(scopes);
      if (authorization !== BASIC) return 401;
      const status = quirk.refuses?.(scopes);
      return status ?? { status: 200, body: { token: `t${asked.length}`, expires_in: 300 } };
    }
    const repository = path
      .split("/")
      .slice(2)
      .join("/")
      .replace(/\/(?:blobs|manifests|tags|referrers)\/.*/, "");
    const token = /^Bearer t(\d+)$/.exec(authorization ?? "")?.[1];
    const granted = (token === undefined ? [] : (asked[Number(token) - 1] ?? []))
      .filter((scope) => scope.startsWith(`repository:${repository}:`))
      .flatMap(actionsIn);
    if (token !== undefined && path === "/v2/") return undefined;
    if (!needs(method, path).some((action) => granted.includes(action))) {
      const scope = `repository:${repository}:${names(method)}`;
      const challenge = `Bearer realm="http://${registry.host}/token",service="quirky",scope="${scope}"`;
      return { status: 401, headers: { "www-authenticate": challenge } };
    }
    return quirk.reply?.(method, path, query);
  };
  return asked;
}
