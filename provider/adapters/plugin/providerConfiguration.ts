// The configuration of a provider: the stack's for the default provider, the arguments of `new Provider(…)` for an explicit one.
// The engine names the provider in CheckConfig and Configure: `default`, or `default_1_2_3` where an SDK asks for a version.
import {
  ALLOW_INSECURE,
  API_KEY,
  API_KEY_PREFIX,
  BASE_URL,
  type ConfigurationSource,
  isGiven,
  isOn,
  PUBLIC_STORAGE_ONLY,
  resolveApiKey,
  resolveApiKeyPrefix,
  resolveBaseUrl,
  type Setting,
  SETTINGS,
} from "../../service/configuration";
import type { CheckFailure } from "../../resource/inputTable";
import { ConfigurationError } from "../../runtime/messages/errors";
import type { Secrets } from "../../runtime/messages/secrets";
import { isUnknown } from "../../runtime/messages/plainText";
import type { Properties } from "../session/storedProperties";

type Environment = ConfigurationSource["environment"];

const NAMESPACE = "docs-hosting:";

/** The setting that is always a secret. */
export const KEY = propertyOf(API_KEY.config);

/**
 * The settings that a provider was given. For the default provider the environment takes precedence, as for dynamic resources.
 * The settings of an explicit provider take precedence over the environment.
 *
 * @param name the provider's name
 */
export function providerSettings(
  name: string,
  given: Properties,
  environment: Environment,
): ConfigurationSource {
  const stackConfig = (config: string): string | undefined => textOf(given[propertyOf(config)]);
  const isMadeByEngine = /^default(?:_|$)/.test(name);
  if (isMadeByEngine) return { stackConfig, environment };
  const hasOwn = (setting: Setting): boolean => isGiven(setting, stackConfig(setting.config));
  const replaced = SETTINGS.filter(hasOwn).map(({ variable }) => variable);
  const property = `${KEY} of the provider ${name}`;
  return {
    stackConfig,
    keySetting: hasOwn(API_KEY) ? property : `${API_KEY.variable} (or ${property})`,
    wholeEnvironment: environment,
    environment: (variable) => (replaced.includes(variable) ? undefined : environment(variable)),
  };
}

/**
 * Finds problems of given settings, without a request. A missing setting is no problem, because the environment or an input may
 * contain it.
 */
export function checkSettings(
  name: string,
  given: Properties,
  environment: Environment,
  secrets: Secrets,
): CheckFailure[] {
  const source = { ...providerSettings(name, given, environment), secrets };
  const failures: CheckFailure[] = [];
  const check = ({ config }: Setting, resolve: () => unknown): void => {
    const property = propertyOf(config);
    if (isUnknown(given[property]) || (source.stackConfig(config) ?? "").trim() === "") return;
    try {
      resolve();
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      failures.push({ property, reason: `${error.message}. ${error.remedy}` });
    }
  };
  for (const setting of [ALLOW_INSECURE, PUBLIC_STORAGE_ONLY]) {
    check(setting, () => isOn(setting, source));
  }
  // a switch that is neither true nor false is no problem of the base URL
  if (failures.length === 0) check(BASE_URL, () => resolveBaseUrl(source));
  check(API_KEY_PREFIX, () => resolveApiKeyPrefix(source));
  const prefix = propertyOf(API_KEY_PREFIX.config);
  const isPrefixKnown = !isUnknown(given[prefix]) && !failures.some(({ property }) => property === prefix);
  if (isPrefixKnown) check(API_KEY, () => resolveApiKey(source));
  return failures;
}

export function changedSettings(before: Properties, now: Properties): string[] {
  return Object.keys({ ...before, ...now }).filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(now[name]),
  );
}

/** Settings that are no strings arrive as JSON. */
function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null || isUnknown(value)) return undefined;
  return typeof value === "string" ? value : JSON.stringify(value);
}

function propertyOf(config: string): string {
  return config.slice(NAMESPACE.length);
}
