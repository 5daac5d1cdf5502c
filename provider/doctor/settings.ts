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
    const origin = options["base-url"] === undefined ? originOf(BASE_URL, source) : "--base-url";
    findings.push(ok("base-url", `${baseUrl}, from ${origin ?? "nowhere"}`));
  }

  const variable = options["api-key-env"] ?? API_KEY.variable;
  const place = variable === API_KEY.variable ? API_KEY : { variable, config: "" };
  const key = check("api-key", () => resolveApiKey(source, variable));
  if (key !== undefined) findings.push(keyFinding(place, source, settings));

  const set = OTHERS.flatMap((setting) => {
    const origin = originOf(setting, source);
    if (origin === undefined) return [];
    const { config, variable: from } = setting;
    const value = (from !== undefined && source.environment(from)) || (source.stackConfig(config) ?? "");
    return [`${config} is ${JSON.stringify(value)}, from ${origin}`];
  });
  findings.push(ok("settings", set.join("; ") || "all others have their defaults"));
  return { findings, baseUrl, hasKey: key !== undefined };
}

function keyFinding(
  place: Required<Setting>,
  source: ConfigurationSource,
  settings: StackSettings["settings"],
): Finding {
  const origin = originOf(place, source) ?? "nowhere";
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

/** Where the value of a setting comes from; `undefined` if it is not set. */
function originOf(setting: Setting, source: ConfigurationSource): string | undefined {
  const { variable, config } = setting;
  if (variable !== undefined && isGiven(setting, source.environment(variable)))
    return `the environment variable ${variable}`;
  return isGiven(setting, source.stackConfig(config)) ? `the stack's configuration ${config}` : undefined;
}
