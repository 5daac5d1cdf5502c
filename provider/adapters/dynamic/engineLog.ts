import type { Clock } from "../../time/clock";
import { rowReporter, type RowReporter } from "../session/rowReporter";
import { sendLine } from "./pulumiHost";

/**
 * Reports on one resource's row in the CLI. Best effort: the host does not offer this to dynamic providers. If a part of the
 * host is missing, only the lines are lost.
 */
export function engineReporter(urn: string | undefined, clock: Clock): RowReporter {
  return rowReporter(sendLine, urn, clock);
}
