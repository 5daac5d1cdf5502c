import { API_KEY, BASE_URL, type ConfigurationSource } from "./configuration";

/** A line about where the key is sent. */
interface KeyDestination {
  readonly text: string;
  /** Whether the key was set together with another base URL. */
  readonly isOther: boolean;
}

/**
 * Says where the default key is sent if it was not set together with this base URL: a key may be of another account, and its owner may not
 * expect that another service gets it. A key of the environment belongs to the base URL of the environment, otherwise to that of the
 * stack's configuration; a key of the configuration the other way round. A key that `apiKeyEnv` names is meant for its resource.
 *
 * @returns undefined if both were set together, or no other base URL is known
 */
export function keyDestination(
  source: ConfigurationSource,
  { baseUrl, apiKeyEnv = API_KEY.variable }: { readonly baseUrl: string; readonly apiKeyEnv?: string },
): KeyDestination | undefined {
  if (apiKeyEnv !== API_KEY.variable) return undefined;
  const isOfEnvironment = isSet(source.environment(API_KEY.variable));
  const key = isOfEnvironment ? API_KEY.variable : API_KEY.config;
  const { ownBaseUrl } = source;
  if (ownBaseUrl !== undefined && isOfEnvironment) {
    const { provider, outside } = ownBaseUrl;
    if (isSet(outside) && isSame(outside, baseUrl)) return undefined;
    const text = `the key of ${key} is sent to ${baseUrl}, because the provider ${provider} has a base URL and no key of its own`;
    return isSet(outside)
      ? { isOther: true, text: `${text}. ${setWith(outside)} Give the provider its own adminApiKey.` }
      : { isOther: false, text };
  }
  const urls = [source.environment(BASE_URL.variable), source.stackConfig(BASE_URL.config)];
  const known = (isOfEnvironment ? urls : urls.reverse()).find(isSet);
  if (known === undefined || isSame(known, baseUrl)) return undefined;
  return {
    isOther: true,
    text: `the key of ${key} is sent to ${baseUrl}. ${setWith(known)} Name the key of the other service in apiKeyEnv, or correct the base URL.`,
  };
}

const setWith = (url: string): string => `It was set together with ${url.trim()}.`;

const isSet = (text: string | undefined): text is string => text !== undefined && text.trim() !== "";

/** Whether two base URLs lead to the same host: its paths have one owner. */
function isSame(one: string, other: string): boolean {
  const [origin, otherOrigin] = [URL.parse(one.trim())?.origin, URL.parse(other.trim())?.origin];
  return origin === otherOrigin;
}
