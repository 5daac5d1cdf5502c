// The configuration of a provider: the stack's for the default provider, the arguments of `new Provider(…)` for an explicit one.
// The engine names the provider in CheckConfig and Configure: `default`, or `default_1_2_3` where an SDK asks for a version.
import {
  ALLOW_INSECURE_CONFIG,
  API_KEY_CONFIG,
  API_KEY_PREFIX_CONFIG,
  API_KEY_VARIABLE,
  BASE_URL_CONFIG,
  isGiven,
  PUBLIC_STORAGE_ONLY_CONFIG,
  resolveApiKey,
  resolveApiKeyPrefix,
  resolveBaseUrl,
  SETTINGS,
  type ConfigurationSource,
} from "../../service/configuration";
import type { CheckFailure } from "../../resource/inputTable";
import { ConfigurationError } from "../../messages/errors";
import type { Secrets } from "../../messages/secrets";
import { isUnknown } from "../../messages/unknown";
import type { Properties } from "../session/storedProperties";

type Environment = ConfigurationSource["environment"];

const NAMESPACE = "docs-hosting:";

/** The setting that is always a secret. */
export const KEY = propertyOf(API_KEY_CONFIG);

/** The settings of one provider. */
export interface ProviderSettings {
  readonly stackConfig: (name: string) => string | undefined;
  readonly environment: Environment;
  /** Where the key of an explicit provider is set, for messages. */
  readonly keySetting?: string;
}

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
): ProviderSettings {
  const stackConfig = (setting: string): string | undefined => textOf(given[propertyOf(setting)]);
  if (isDefault(name)) return { stackConfig, environment };
  const hasOwn = (config: string): boolean => isGiven(config, stackConfig(config));
  const replaced = SETTINGS.filter(({ config }) => hasOwn(config)).map(({ variable }) => variable);
  const property = `${KEY} of the provider ${name}`;
  return {
    stackConfig,
    keySetting: hasOwn(API_KEY_CONFIG) ? property : `${API_KEY_VARIABLE} (or ${property})`,
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
  const check = (setting: string, resolve: () => unknown): void => {
    const property = propertyOf(setting);
    if (isUnknown(given[property]) || (source.stackConfig(setting) ?? "").trim() === "") return;
    try {
      resolve();
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      failures.push({ property, reason: `${error.message}. ${error.remedy}` });
    }
  };
  for (const setting of [ALLOW_INSECURE_CONFIG, PUBLIC_STORAGE_ONLY_CONFIG]) {
    const only: ConfigurationSource = {
      environment: () => undefined,
      stackConfig: (each) => (each === setting ? source.stackConfig(each) : undefined),
    };
    check(setting, () => resolveBaseUrl(only, "https://example.com"));
  }
  // a switch that is neither true nor false is no problem of the base URL
  if (failures.length === 0) check(BASE_URL_CONFIG, () => resolveBaseUrl(source));
  check(API_KEY_PREFIX_CONFIG, () => resolveApiKeyPrefix(source));
  const prefix = propertyOf(API_KEY_PREFIX_CONFIG);
  const isPrefixKnown = !isUnknown(given[prefix]) && !failures.some(({ property }) => property === prefix);
  if (isPrefixKnown) check(API_KEY_CONFIG, () => resolveApiKey(source));
  return failures;
}

/** The settings whose values differ. */
export function changedSettings(before: Properties, now: Properties): string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])];
  return names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(now[name]));
}

/** Whether the engine made this provider itself. */
function isDefault(name: string): boolean {
  return /^default(?:_|$)/.test(name);
}

/** Settings that are no strings arrive as JSON. */
function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null || isUnknown(value)) return undefined;
  return typeof value === "string" ? value : JSON.stringify(value);
}

function propertyOf(setting: string): string {
  return setting.slice(NAMESPACE.length);
}
