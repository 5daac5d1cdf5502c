import type { allowedRepeats, countedAs, retryDelayMs } from "../../../provider/base/http/retryPolicy.ts";
import type { planExport } from "../../../provider/staticExport/plan.ts";
import type { finishedState } from "../../../provider/staticExport/state.ts";

/** The provider's own code that a simulated fleet runs on: the bench passes the built one, tests pass its sources. */
export interface ProviderCode {
  /** Whether a link is due. */
  readonly planExport: typeof planExport;
  /** When a new link is due, by `renewalWindow`. */
  readonly finishedState: typeof finishedState;
  /** Whether a request is sent again, and when. */
  readonly allowedRepeats: typeof allowedRepeats;
  readonly countedAs: typeof countedAs;
  readonly retryDelayMs: typeof retryDelayMs;
}
