import { isLoopback } from "../base/http/address";
import { proxyFor } from "../base/http/proxy";
import { ConfigurationError } from "../base/runtime/messages/errors";
import { type Secrets, SHORTEST_SECRET } from "../base/runtime/messages/secrets";

/** A setting; {@link Configuration} describes each. */
export interface Setting {
  /** Its name in a stack's configuration. */
  readonly config: string;
  /** The environment variable that takes precedence, if there is one. */
  readonly variable?: string;
}

export const BASE_URL = { config: "docs-hosting:baseUrl", variable: "DOCS_HOSTING_BASE_URL" };
/** The input `apiKeyEnv` may name another variable. */
export const API_KEY = { config: "docs-hosting:adminApiKey", variable: "DOCS_HOSTING_ADMIN_API_KEY" };
export const API_KEY_PREFIX = {
  config: "docs-hosting:apiKeyPrefix",
  variable: "DOCS_HOSTING_API_KEY_PREFIX",
};
export const ALLOW_INSECURE = { config: "docs-hosting:allowInsecure" };
export const PUBLIC_STORAGE_ONLY = { config: "docs-hosting:publicStorageOnly" };
export const SETTINGS: readonly Setting[] = [
  BASE_URL,
  API_KEY,
  API_KEY_PREFIX,
  ALLOW_INSECURE,
  PUBLIC_STORAGE_ONLY,
];

/** What admin API keys begin with, unless a setting names another text. */
const DEFAULT_API_KEY_PREFIX = "svc_";

/**
 * The settings of a stack, as `pulumi config set docs-hosting:NAME` stores them, or of an explicit provider. Environment variables
 * take precedence over those of a stack, and those of an explicit provider over environment variables.
 */
export interface Configuration {
  /** Base URL of the service, without `/v1` or `/v2`. @default the environment variable `DOCS_HOSTING_BASE_URL` */
  baseUrl?: string;
  /** Admin API key, which begins with `svc_`. Set it as a secret. @default the environment variable `DOCS_HOSTING_ADMIN_API_KEY` */
  adminApiKey?: string;
  /**
   * Text that admin API keys begin with, for services whose keys have another prefix. An empty text accepts any key.
   *
   * @default the environment variable `DOCS_HOSTING_API_KEY_PREFIX`, then `svc_`
   */
  apiKeyPrefix?: string;
  /** Permit `http:` to hosts other than this machine, which get the key and links without encryption. @default false */
  allowInsecure?: boolean;
  /** Refuse to fetch a bundle from an address in the user's own network. @default false */
  publicStorageOnly?: boolean;
}

/** Whether a setting has a value. An empty text is none, but an empty prefix of keys is one: it accepts any key. */
export function isGiven(setting: Setting, value: string | undefined): value is string {
  return value !== undefined && (value.trim() !== "" || setting === API_KEY_PREFIX);
}

/** The source of settings: the environment first, then the stack's configuration. Values are read on each access. */
export interface ConfigurationSource {
  /** Receives the secret values that are read. */
  readonly secrets?: Pick<Secrets, "add">;
  readonly environment: (name: string) => string | undefined;
  /** Where the default key is set, for messages. @default the environment variable, or the stack's configuration */
  readonly keySetting?: string | undefined;
  /** For an explicit provider with a base URL, but no key of its own: its name, and the base URL that is set outside of it. */
  readonly ownBaseUrl?: { readonly provider: string; readonly outside: string | undefined };
  /** @param name with its namespace, such as `docs-hosting:baseUrl` */
  stackConfig(name: string): string | undefined;
}

/** The service that one operation talks to. */
export interface ServiceSettings {
  readonly baseUrl: string;
  /** Reads the API key. @throws ConfigurationError if it is missing or malformed */
  readonly apiKey: () => string;
  /** Where the key is set, for messages. */
  readonly apiKeyName: string;
  /** Whether links and the base URL may use `http:` to hosts other than this machine. */
  readonly allowInsecure: boolean;
  /** Whether a bundle is fetched from public addresses only. */
  readonly publicStorageOnly: boolean;
  readonly proxy: URL | undefined;
}

/** @throws ConfigurationError for a base URL that is malformed or missing, or a proxy that cannot be used */
export function serviceSettings(
  source: ConfigurationSource,
  inputs: { baseUrl?: string; apiKeyEnv?: string },
): ServiceSettings {
  const apiKeyEnv = inputs.apiKeyEnv ?? API_KEY.variable;
  const baseUrl = resolveBaseUrl(source, inputs.baseUrl);
  return {
    baseUrl,
    apiKey: () => resolveApiKey(source, apiKeyEnv),
    apiKeyName:
      apiKeyEnv === API_KEY.variable
        ? (source.keySetting ?? `${apiKeyEnv} (or the config ${API_KEY.config})`)
        : apiKeyEnv,
    allowInsecure: isOn(ALLOW_INSECURE, source),
    publicStorageOnly: isOn(PUBLIC_STORAGE_ONLY, source),
    proxy: proxyFor(baseUrl, source.environment),
  };
}

/**
 * The base URL of the service, in the normalised form that is stored.
 *
 * @param given the resource's `baseUrl`, which takes precedence over environment and configuration
 * @throws ConfigurationError if it is missing or unsafe; also for a switch that is neither true nor false, to report that
 *   before any request
 */
export function resolveBaseUrl(source: ConfigurationSource, given?: string): string {
  const allowInsecure = isOn(ALLOW_INSECURE, source);
  isOn(PUBLIC_STORAGE_ONLY, source);
  const found = [
    { text: given, name: "baseUrl" },
    { text: source.environment(BASE_URL.variable), name: BASE_URL.variable },
    { text: source.stackConfig(BASE_URL.config), name: BASE_URL.config },
  ].find(({ text }) => text !== undefined && text.trim() !== "");
  if (found?.text === undefined) {
    throw new ConfigurationError(
      "the base URL of the service is not set",
      `Set ${BASE_URL.variable}, or run \`pulumi config set ${BASE_URL.config} https://…\`. ${OTHER_PROCESS}`,
    );
  }
  const fail = (problem: string, remedy: string): never => {
    throw new ConfigurationError(`${found.name} ${problem}`, remedy);
  };
  const url = URL.parse(found.text.trim());
  if (!url || (url.protocol !== "https:" && url.protocol !== "http:")) {
    return fail("is not an http(s) URL", "Write it like https://api.example.com");
  }
  if (url.username || url.password) {
    return fail("contains a user name or password", "Remove it: only the API key is sent.");
  }
  if (/[?#]/.test(url.href)) {
    return fail("contains a query or a fragment", "Remove the part that begins with «?» or «#».");
  }
  const baseUrl = url.href.replace(/\/+$/, "");
  const withoutVersion = baseUrl.replace(/\/+v[12]$/i, "");
  if (withoutVersion !== baseUrl) {
    return fail(
      `ends in ${baseUrl.slice(withoutVersion.length)}, which is part of each endpoint's own path`,
      `Write ${withoutVersion}`,
    );
  }
  if (url.protocol === "http:" && !isLoopback(url.hostname) && !allowInsecure) {
    return fail(
      `uses http: to ${url.host}, which would send the API key without encryption`,
      `Use https:, or permit it with \`pulumi config set ${ALLOW_INSECURE.config} true\`.`,
    );
  }
  return baseUrl;
}

/**
 * The admin API key, which begins with {@link resolveApiKeyPrefix}. White space around it (a line end from a file) is dropped.
 *
 * @param apiKeyEnv the variable that contains the key; only the default variable falls back to the stack configuration
 * @throws ConfigurationError if the key is missing or malformed; the message shows at most its length
 */
export function resolveApiKey(source: ConfigurationSource, apiKeyEnv: string = API_KEY.variable): string {
  const key = findApiKey(source, apiKeyEnv).trim();
  const byDefault =
    source.keySetting === undefined
      ? `Set ${apiKeyEnv}, or run \`pulumi config set --secret ${API_KEY.config}\`.`
      : `Set ${source.keySetting}.`;
  const where = apiKeyEnv === API_KEY.variable ? byDefault : `Set the environment variable ${apiKeyEnv}.`;
  if (key === "") throw new ConfigurationError("the admin API key is not set", `${where} ${OTHER_PROCESS}`);
  const prefix = resolveApiKeyPrefix(source);
  const problem = problemOfApiKey(key, prefix);
  if (problem === undefined) return key;
  throw new ConfigurationError(
    `the admin API key is malformed: its ${key.length} characters ${problem}`,
    `${where} Keys are made on the API keys page of the dashboard.`,
  );
}

const OTHER_PROCESS =
  "A variable that the program sets, such as from a .env file, does not reach the provider, which is another process.";

/** What a path begins with, such as that of a variable of the type File in GitLab. */
const PATH = /^(?:\/|~\/|\.{1,2}\/|[a-z]:\\)/i;

function problemOfApiKey(key: string, prefix: string): string | undefined {
  if (prefix !== "" && PATH.test(key) && !key.startsWith(prefix)) {
    return "are the path of a file: the variable must have the key itself (in GitLab, the type Variable)";
  }
  if (!/^[\x21-\x7e]+$/.test(key) || !key.startsWith(prefix) || key === prefix) {
    return prefix === ""
      ? "contain white space or are not all ASCII"
      : `do not begin with ${prefix}, or contain white space`;
  }
  // the default prefix is recognized in any text; other keys are removed from messages by their value
  if (prefix === DEFAULT_API_KEY_PREFIX || key.length >= SHORTEST_SECRET) return undefined;
  return `are too few: a key of less than ${SHORTEST_SECRET} cannot be kept out of messages`;
}

/**
 * The text that admin API keys begin with. An empty setting accepts any key.
 *
 * @throws ConfigurationError for a prefix that no key can have
 */
export function resolveApiKeyPrefix(source: ConfigurationSource): string {
  const given = source.environment(API_KEY_PREFIX.variable) ?? source.stackConfig(API_KEY_PREFIX.config);
  const prefix = (given ?? DEFAULT_API_KEY_PREFIX).trim();
  if (/^[\x21-\x7e]*$/.test(prefix)) return prefix;
  throw new ConfigurationError(
    "the prefix of admin API keys contains white space, or is not all ASCII",
    `Set ${API_KEY_PREFIX.variable}, or run \`pulumi config set ${API_KEY_PREFIX.config} ${DEFAULT_API_KEY_PREFIX}\`.`,
  );
}

/** Whether white space surrounds the key, such as a file's line end: this provider removes it, but other programs do not. */
export function isApiKeyPadded(source: ConfigurationSource, apiKeyEnv?: string): boolean {
  const key = findApiKey(source, apiKeyEnv);
  return key !== key.trim();
}

/** The key as written; empty if there is none. */
function findApiKey(source: ConfigurationSource, apiKeyEnv: string = API_KEY.variable): string {
  const given = source.environment(apiKeyEnv) ?? "";
  const isFinal = given.trim() !== "" || apiKeyEnv !== API_KEY.variable;
  const key = isFinal ? given : (source.stackConfig(API_KEY.config) ?? "");
  source.secrets?.add(key.trim());
  return key;
}

/** @throws ConfigurationError for a switch that is neither true nor false */
export function isOn({ config }: Setting, source: ConfigurationSource): boolean {
  const value = (source.stackConfig(config) ?? "false").trim().toLowerCase();
  if (value === "true" || value === "false") return value === "true";
  throw new ConfigurationError(
    `the configuration ${config} is neither true nor false`,
    `Run \`pulumi config set ${config} true\` or \`false\`.`,
  );
}
