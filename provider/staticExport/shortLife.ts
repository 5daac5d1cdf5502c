import type { Context } from "../resource/context";
import { formatDuration } from "../time/duration";
import type { CheckedInputs } from "./inputs";
import { renewalWindowOf, type StaticExportState } from "./state";

/** Warns about a `renewBefore` that would renew the link at every run. */
export function warnOfShortLife(
  { reporter }: Pick<Context, "reporter">,
  inputs: CheckedInputs,
  state: StaticExportState,
): void {
  const window = renewalWindowOf(inputs, state);
  if (!window?.isShortened) return;
  reporter.warn(
    `renewBefore is ${inputs.renewBefore ?? ""}, more than half of the life of the link to job ${state.outputs.jobId}: ` +
      `it is renewed ${formatDuration(window.ms)} before its end`,
  );
}
