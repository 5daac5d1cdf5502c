// The configuration of a provider: the stack's for the default provider, the arguments of `new Provider(…)` for an explicit one.
import { ConfigurationError } from "../../base/runtime/messages/errors";
import { isUnknown } from "../../base/runtime/messages/plainText";
import type { Secrets } from "../../base/runtime/messages/secrets";
import type { CheckFailure } from "../../resource/inputTable";
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
import type { Properties } from "../session/storedProperties";

type Environment = ConfigurationSource["environment"];

const NAMESPACE = "docs-hosting:";

/** The setting that is always a secret. */
export const KEY: string = propertyOf(API_KEY.config);

/** The names that the engine gives to default providers: `default`, or `default_1_2_3…` where an SDK asks for a version. */
const NAME_BY_ENGINE = /^default(?:_\d+_\d+_\d+(?:_.*)?)?$/;

/** The stack's settings of this package as JSON, which the engine passes to the process of a plugin. */
const STACK_SETTINGS = "PULUMI_CONFIG";

/** The internal argument of an explicit provider that has a name of default providers: Configure has no other sign of it. */
const EXPLICIT = "__explicit";

/**
 * The arguments of a provider as the engine stores them, with {@link EXPLICIT} if only that tells it from a default provider: a program
 * may call its own one `default`. The engine makes a default provider of the stack's settings, so other arguments are the program's.
 */
export function checkedArguments(name: string, given: Properties, environment: Environment): Properties {
  const isExplicit = NAME_BY_ENGINE.test(name) && !areOfStack(given, environment);
  return isExplicit ? { ...given, [EXPLICIT]: "true" } : given;
}

function areOfStack(given: Properties, environment: Environment): boolean {
  const settings = stackSettings(environment);
  if (settings === undefined) return true; // nothing tells
  return SETTINGS.every(({ config }) => {
    const name = propertyOf(config);
    return !isUnknown(given[name]) && textOf(given[name]) === textOf(settings[name]);
  });
}

/** @returns undefined if the engine did not start this process, and attached to it */
function stackSettings(environment: Environment): Properties | undefined {
  try {
    return JSON.parse(environment(STACK_SETTINGS) ?? "") as Properties;
  } catch {
    return undefined; // also if another program uses the variable for something else
  }
}

/**
 * The settings that a provider was given. For the default provider the environment takes precedence, as for dynamic resources.
 * The settings of an explicit provider take precedence over the environment.
 *
 * @param name the provider's name
 * @param given its {@link checkedArguments}
 */
export function providerSettings(
  name: string,
  given: Properties,
  environment: Environment,
): ConfigurationSource {
  const stackConfig = (config: string): string | undefined => textOf(given[propertyOf(config)]);
  const isMadeByEngine = NAME_BY_ENGINE.test(name) && given[EXPLICIT] === undefined;
  if (isMadeByEngine) return { stackConfig, environment };
  const hasOwn = (setting: Setting): boolean => isGiven(setting, stackConfig(setting.config));
  const replaced = SETTINGS.filter(hasOwn).map(({ variable }) => variable);
  const ofStack = textOf(stackSettings(environment)?.[propertyOf(BASE_URL.config)]);
  const outside = environment(BASE_URL.variable) ?? ofStack;
  const property = `${KEY} of the provider ${name}`;
  return {
    stackConfig,
    ...(hasOwn(BASE_URL) && !hasOwn(API_KEY) && { ownBaseUrl: { provider: name, outside } }),
    keySetting: hasOwn(API_KEY) ? property : `${API_KEY.variable} (or ${property})`,
    environment: (variable) => (replaced.includes(variable) ? undefined : environment(variable)),
  };
}

/**
 * Finds problems of given settings, without a request. A missing setting is not a problem, because the environment or an input may
 * contain it.
 */
export function checkProviderSettings(
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
  // a switch that is neither true nor false is not a problem of the base URL
  if (failures.length === 0) check(BASE_URL, () => resolveBaseUrl(source));
  check(API_KEY_PREFIX, () => resolveApiKeyPrefix(source));
  const prefix = propertyOf(API_KEY_PREFIX.config);
  const isPrefixKnown = !isUnknown(given[prefix]) && !failures.some(({ property }) => property === prefix);
  if (isPrefixKnown) check(API_KEY, () => resolveApiKey(source));
  return failures;
}

export function changedSettings(before: Properties, now: Properties): string[] {
  return Object.keys({ ...before, ...now }).filter(
    (name) => !name.startsWith("__") && JSON.stringify(before[name]) !== JSON.stringify(now[name]),
  );
}

/** Settings that are not strings arrive as JSON. */
function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null || isUnknown(value)) return undefined;
  return typeof value === "string" ? value : JSON.stringify(value);
}

function propertyOf(config: string): string {
  return config.slice(NAMESPACE.length);
}
