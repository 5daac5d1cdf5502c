import {
  API_KEY,
  BASE_URL,
  type ConfigurationSource,
  isApiKeyPadded,
  isGiven,
  resolveApiKey,
  resolveBaseUrl,
  type Setting,
  SETTINGS,
} from "../service/configuration";
import { type Finding, findingOf, ok, warning } from "./finding";
import type { Options } from "./options";
import type { StackSettings } from "./stackSettings";

/** Settings that have a default. */
const OTHERS = SETTINGS.filter((setting) => setting !== BASE_URL && setting !== API_KEY);

/** The settings as the provider resolves them. */
export interface ResolvedSettings {
  readonly findings: readonly Finding[];
  /** Absent if it is missing or malformed. */
  readonly baseUrl: string | undefined;
  readonly hasKey: boolean;
}

/**
 * Checks the settings, and names where each value comes from. The key is never shown.
 *
 * @returns baseUrl: `undefined` if it is missing or wrong
 * @returns hasKey: whether there is a key of the right form
 */
export function checkSettings(
  source: ConfigurationSource,
  { settings }: StackSettings,
  options: Pick<Options, "base-url" | "api-key-env">,
): ResolvedSettings {
  const { "base-url": given, "api-key-env": variable = API_KEY.variable } = options;
  let baseUrl: string | undefined;
  const base = findingOf("base-url", () => {
    baseUrl = resolveBaseUrl(source, given);
    const origin = given === undefined ? findSetting(BASE_URL, source)?.origin : "--base-url";
    return ok("base-url", `${baseUrl}, from ${origin ?? "nowhere"}`);
  });
  const key = findingOf("api-key", () => {
    resolveApiKey(source, variable);
    const place = variable === API_KEY.variable ? API_KEY : { variable, config: "" };
    return keyFinding(place, source, settings);
  });
  const set = OTHERS.flatMap((setting) => {
    const found = findSetting(setting, source);
    return found ? [`${setting.config} is ${JSON.stringify(found.value)}, from ${found.origin}`] : [];
  });
  const others = ok("settings", set.join("; ") || "all others have their defaults");
  return { findings: [base, key, others], baseUrl, hasKey: key.status !== "failure" };
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
function findSetting(setting: Setting, source: ConfigurationSource) {
  const { variable = "", config } = setting;
  const places = [
    { value: variable && source.environment(variable), origin: `the environment variable ${variable}` },
    { value: source.stackConfig(config), origin: `the stack's configuration ${config}` },
  ];
  return places.find(({ value }) => isGiven(setting, value));
}
