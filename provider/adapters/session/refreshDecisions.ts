import { reportDecision, type Decision, type DecisionCode } from "../../resource/decision";
import type { Reporter } from "../../runtime/messages/reporter";

/** Findings of a refresh on which the next `up` acts. Both report them with the same message. */
const REPORTED_BY_REFRESH: ReadonlySet<DecisionCode> = new Set(["JOB_GONE", "DRIFTED"]);

/** Reports each decision once: newer engines call diff directly after the read of a refresh. */
export class RefreshDecisions {
  /** The decision that the last read of a resource reported, by URN. */
  readonly #found = new Map<string, string>();

  /** Reports what a read found, if the next `up` acts on it. */
  reportRead(reporter: Reporter, urn: string | undefined, decision: Decision): void {
    if (!REPORTED_BY_REFRESH.has(decision.code)) return;
    reportDecision(reporter, decision);
    this.#found.set(urn ?? "", decision.text);
  }

  /** Reports the decision of a diff, unless the read just before it has. */
  reportDiff(reporter: Reporter, urn: string | undefined, decision: Decision): void {
    const isReportedByRead = this.#found.get(urn ?? "") === decision.text;
    this.#found.delete(urn ?? "");
    if (!isReportedByRead) reportDecision(reporter, decision);
  }
}
