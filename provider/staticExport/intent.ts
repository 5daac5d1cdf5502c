import { hash } from "node:crypto";
import { inputNames, withEffect } from "../resource/inputTable";
import { STATIC_EXPORT_INPUTS, type StaticExportInputs } from "./inputs";

/** The digest's value for an absent input. The first three inputs, which every release has, have one. */
const ABSENT: Partial<Record<keyof StaticExportInputs, unknown>> = {
  version: null,
  triggers: [],
  jobId: null,
};

/** The inputs that determine the wanted content, in the order of their rows. */
const WANTED = withEffect(STATIC_EXPORT_INPUTS, inputNames(STATIC_EXPORT_INPUTS), "content", "adopts");

/**
 * The wanted content, as a digest. An interrupted job is continued only while the digest stays the same. It is a digest
 * because `version`, `triggers` and `exportOptions` may be secret. The state stores it only with a salt.
 *
 * Inputs of later releases come last, and absent inputs at the end are left out. So digests of earlier releases stay valid.
 */
export function intentOf(inputs: StaticExportInputs): string {
  const isAbsent = (name: keyof StaticExportInputs): boolean => {
    const { isSame = Object.is } = STATIC_EXPORT_INPUTS[name];
    return isSame(inputs[name], undefined);
  };
  const last = WANTED.findLastIndex((name) => name in ABSENT || !isAbsent(name));
  const wanted = WANTED.slice(0, last + 1).map((name) =>
    isAbsent(name) ? (ABSENT[name] ?? null) : inputs[name],
  );
  return hash("sha256", JSON.stringify(wanted, sortKeys));
}

function sortKeys(_: string, value: unknown): unknown {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;
}
