import { isUnknown, UNKNOWN } from "../messages/unknown";
import type { Machine } from "../time/serviceClock";
import type { CheckedInputs } from "./inputs";
import { planExport } from "./plan";
import { recordedState, serviceTimeOf, type OwnOutputs, type StaticExportState } from "./state";

/** What a new link changes. The service may report another size of the same content. */
const OF_LINK = { bundleUrl: UNKNOWN, bundleSize: UNKNOWN, expiresAt: UNKNOWN, renewAfter: UNKNOWN };

/** The outputs that `converge` will return, as far as the plan determines them. Whatever a job or a link decides is `UNKNOWN`. */
export function predictExport(
  inputs: CheckedInputs,
  state: StaticExportState | undefined,
  machine: Machine,
): Readonly<Record<string, unknown>> {
  const plan = planExport(inputs, state, serviceTimeOf(state, machine));
  switch (plan.action) {
    case "record": {
      const { outputs } = recordedState(inputs, plan.state);
      // a window that is not known yet may make the link due
      return { ...outputs, ...(isUnknown(inputs.renewBefore) && OF_LINK) };
    }
    case "renew":
      return { ...recordedState(inputs, plan.state).outputs, status: "completed", ...OF_LINK };
    case "start":
    case "continue": {
      // the job of an earlier run may be gone, so only a job that the user names is certain
      const jobId = inputs.jobId ?? UNKNOWN;
      const own: Record<keyof OwnOutputs, unknown> = {
        jobId,
        version: inputs.version ?? jobId,
        status: "completed",
        pageCount: UNKNOWN,
        ...OF_LINK,
      };
      return { ...inputs, ...own };
    }
  }
}
