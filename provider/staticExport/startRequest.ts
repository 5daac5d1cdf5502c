import type { StartRequest } from "../service/client";
import type { CheckedInputs } from "./inputs";

/** What of the inputs is sent with a start. `version` and `triggers` only say when to start. */
export function startRequest({ domain, exportOptions }: CheckedInputs): StartRequest {
  return { ...exportOptions, domain };
}
