import {
  API_KEY,
  BASE_URL,
  isApiKeyPadded,
  isGiven,
  resolveApiKey,
  resolveBaseUrl,
  SETTINGS,
  type ConfigurationSource,
  type Setting,
} from "../service/configuration";
import { failureOf, ok, warning, type Finding } from "./finding";
import type { Options } from "./options";
import type { StackSettings } from "./stackSettings";

/** Settings that have a default. */
const OTHERS = SETTINGS.filter((setting) => setting !== BASE_URL && setting !== API_KEY);

/** The settings as the provider resolves them. */
export interface ResolvedSettings {
  readonly findings: readonly Finding[];
  /** `undefined` if it is missing or wrong. */
  readonly baseUrl: string | undefined;
  /** Whether there is a key of the right form. */
  readonly hasKey: boolean;
}

/** Checks the settings, and names where each value comes from. The key is never shown. */
export function checkSettings(
  source: ConfigurationSource,
  { settings }: StackSettings,
  options: Pick<Options, "base-url" | "api-key-env">,
): ResolvedSettings {
  const findings: Finding[] = [];
  const check = <T>(name: string, resolve: () => T): T | undefined => {
    try {
      return resolve();
    } catch (error) {
      findings.push(failureOf(name, error));
      return undefined;
    }
  };

  const baseUrl = check("base-url", () => resolveBaseUrl(source, options["base-url"]));
  if (baseUrl !== undefined) {
    const origin = options["base-url"] === undefined ? findSetting(BASE_URL, source)?.origin : "--base-url";
    findings.push(ok("base-url", `${baseUrl}, from ${origin ?? "nowhere"}`));
  }

  const variable = options["api-key-env"] ?? API_KEY.variable;
  const place = variable === API_KEY.variable ? API_KEY : { variable, config: "" };
  const key = check("api-key", () => resolveApiKey(source, variable));
  if (key !== undefined) findings.push(keyFinding(place, source, settings));

  const set = OTHERS.flatMap((setting) => {
    const found = findSetting(setting, source);
    return found ? [`${setting.config} is ${JSON.stringify(found.value)}, from ${found.origin}`] : [];
  });
  findings.push(ok("settings", set.join("; ") || "all others have their defaults"));
  return { findings, baseUrl, hasKey: key !== undefined };
}

function keyFinding(
  place: Required<Setting>,
  source: ConfigurationSource,
  settings: StackSettings["settings"],
): Finding {
  const origin = findSetting(place, source)?.origin ?? "nowhere";
  if (isApiKeyPadded(source, place.variable)) {
    return warning(
      "api-key",
      `the key from ${origin} has white space around it, such as a line break, which is not sent`,
      "Set it again without the white space: other programs may send it.",
    );
  }
  const isFromStack = (source.environment(place.variable) ?? "").trim() === "";
  if (isFromStack && settings.get(place.config)?.isSecret === false) {
    return warning(
      "api-key",
      `the configuration ${place.config} holds the admin API key in plain text, readable in the stack's settings file`,
      `Make a new key, and set it with \`pulumi config set --secret ${place.config}\`.`,
    );
  }
  return ok("api-key", `set, from ${origin}`);
}

/** The value of a setting, and where it comes from; `undefined` if it is not set. */
function findSetting(
  setting: Setting,
  source: ConfigurationSource,
): { value: string; origin: string } | undefined {
  const { variable, config } = setting;
  if (variable !== undefined) {
    const value = source.environment(variable);
    if (isGiven(setting, value)) return { value, origin: `the environment variable ${variable}` };
  }
  const value = source.stackConfig(config);
  return isGiven(setting, value) ? { value, origin: `the stack's configuration ${config}` } : undefined;
}
