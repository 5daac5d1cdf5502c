import type { StartRequest } from "../service/client";
import type { CheckedExportInputs } from "./inputs";

/** The body of a start request. `version` and `triggers` are not sent: they only decide when to start. */
export function startRequest({ domain, exportOptions }: CheckedExportInputs): StartRequest {
  return { ...exportOptions, domain };
}
