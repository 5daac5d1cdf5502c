// Property values as Go prints them: the real CLI shows a refused input in this form, secret or not.
import { isSecret, type PropertyValue } from "./propertyValues.ts";

export function goText(value: PropertyValue): string {
  if (value === null) return "{<nil>}";
  if (typeof value !== "object") return `{${value}}`;
  if (Array.isArray(value)) return `{[${value.map(goText).join(" ")}]}`;
  if (isSecret(value)) return `{&{${goText(value["value"] ?? null)}}}`;
  const entries = Object.entries<PropertyValue>(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{map[${entries.map(([key, each]) => `${key}:${goText(each)}`).join(" ")}]}`;
}
