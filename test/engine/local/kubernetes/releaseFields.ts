// The inputs of a Release, decoded as the real plugin does: every field is there, set or not.
import { unknownValue } from "../../stack.ts";
import { ProviderError } from "../provider.ts";
import { isSecret, plain, plainMap, type PropertyMap, type PropertyValue } from "../propertyValues.ts";

export interface RepositoryOptions {
  repo: string;
  caFile: string;
  certFile: string;
  keyFile: string;
  password: string;
  username: string;
}

export interface ReleaseFields {
  atomic: boolean;
  chart: string;
  cleanupOnFail: boolean;
  createNamespace: boolean;
  description: string;
  devel: boolean;
  disableCRDHooks: boolean;
  disableOpenapiValidation: boolean;
  disableWebhooks: boolean;
  forceUpdate: boolean;
  maxHistory?: number;
  name: string;
  namespace: string;
  renderSubchartNotes: boolean;
  repositoryOpts?: RepositoryOptions;
  resetValues: boolean;
  reuseValues: boolean;
  skipAwait: boolean;
  skipCrds: boolean;
  timeout: number;
  values: PropertyMap;
  version: string;
  waitForJobs: boolean;
}

const unset = {
  allowNullValues: false,
  atomic: false,
  chart: "",
  cleanupOnFail: false,
  createNamespace: false,
  dependencyUpdate: false,
  description: "",
  devel: false,
  disableCRDHooks: false,
  disableOpenapiValidation: false,
  disableWebhooks: false,
  forceUpdate: false,
  keyring: "",
  lint: false,
  name: "",
  namespace: "",
  postrender: "",
  recreatePods: false,
  renderSubchartNotes: false,
  replace: false,
  resetValues: false,
  reuseValues: false,
  skipAwait: false,
  skipCrds: false,
  timeout: 0,
  values: {},
  verify: false,
  version: "",
  waitForJobs: false,
} satisfies PropertyMap;
const optional = ["maxHistory", "repositoryOpts"];
const unsetRepository = { caFile: "", certFile: "", keyFile: "", password: "", repo: "", username: "" };

const notCarriedOut = new Set([
  ...["allowNullValues", "dependencyUpdate", "keyring", "lint", "postrender", "recreatePods", "replace"],
  "verify",
]);

/** @throws rather than ignore an input */
export function refuseUnsupportedInputs(inputs: PropertyMap): void {
  const isOff = (value: PropertyValue | undefined) =>
    value === undefined || value === null || value === false || value === "";
  const plainInputs = plainMap(inputs);
  const names = Object.keys(plainInputs).filter((key) => {
    if (key === "compat" || isOff(plainInputs[key])) return false;
    return notCarriedOut.has(key) || !(key in unset || optional.includes(key));
  });
  const repository = plainInputs["repositoryOpts"] as PropertyMap | undefined;
  // on helm's command line everybody could read them
  for (const key of ["username", "password"]) {
    if (!isOff(repository?.[key])) names.push(`repositoryOpts.${key}`);
  }
  if (names.length === 0) return;
  const list = names.map((name) => `${name} of a Release`).join(", ");
  throw new ProviderError(`not supported by the test engine: ${list}`);
}

/** Without marks; what is unknown counts as not set. */
export function decodeRelease(inputs: PropertyMap): ReleaseFields & PropertyMap {
  const known = withoutUnknown(plainMap(inputs)) as PropertyMap;
  const fields: PropertyMap = { ...structuredClone(unset) };
  for (const key of [...Object.keys(unset), ...optional]) {
    const value = known[key];
    if (value !== undefined && value !== null) fields[key] = value;
  }
  if (fields["repositoryOpts"] !== undefined) {
    fields["repositoryOpts"] = { ...unsetRepository, ...(fields["repositoryOpts"] as PropertyMap) };
  }
  return fields as unknown as ReleaseFields & PropertyMap;
}

export const containsUnknown = (value: PropertyValue): boolean => {
  if (value === unknownValue) return true;
  return typeof value === "object" && value !== null && Object.values(value).some(containsUnknown);
};

const withoutUnknown = (value: PropertyValue): PropertyValue => {
  if (value === unknownValue) return null;
  if (Array.isArray(value)) return value.map(withoutUnknown);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withoutUnknown(each)]));
};

/** Marks as unknown again what was unknown in what was asked for. */
export function remarkUnknown(returned: PropertyMap, asked: PropertyMap): PropertyMap {
  return Object.fromEntries(
    Object.entries(returned).map(([key, value]) => [key, remarkValue(value, asked[key] ?? null)]),
  );
}

function remarkValue(value: PropertyValue, asked: PropertyValue): PropertyValue {
  if (isSecret(asked)) return remarkValue(value, plain(asked));
  if (asked === unknownValue) return unknownValue;
  if (Array.isArray(value) && Array.isArray(asked)) {
    return value.map((each, index) => remarkValue(each, asked[index] ?? null));
  }
  if (isMap(value) && isMap(asked)) return remarkUnknown(value, asked);
  return value;
}

export const isMap = (value: PropertyValue | undefined): value is PropertyMap =>
  typeof value === "object" && value !== null && !Array.isArray(value);
