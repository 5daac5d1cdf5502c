import type { StartRequest } from "../service/client";
import type { CheckedInputs } from "./inputs";

/** The body of a start request. `version` and `triggers` are not sent: they only decide when to start. */
export function startRequest({ domain, exportOptions }: CheckedInputs): StartRequest {
  return { ...exportOptions, domain };
}
