import { hash } from "node:crypto";
import { inputNames, withEffect } from "../resource/inputTable";
import { STATIC_EXPORT_INPUTS, type StaticExportInputs } from "./inputs";

/** What stands for an input that is not given: those of the first three of every release, none for later ones. */
const ABSENT: Partial<Record<keyof StaticExportInputs, unknown>> = {
  version: null,
  triggers: [],
  jobId: null,
};

/** The inputs that say which content is wanted, in the order of their rows. */
const WANTED = withEffect(STATIC_EXPORT_INPUTS, inputNames(STATIC_EXPORT_INPUTS), "content", "adopts");

/**
 * What content is wanted, as a digest: an interrupted job is gone on with only while this stays the same. A digest,
 * because `version`, `triggers` and `exportOptions` may be secret and this is not; stored with a salt only.
 *
 * Later inputs stand last, and those that are absent at the end are left out, so that what earlier releases stored goes
 * on meaning the same.
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
