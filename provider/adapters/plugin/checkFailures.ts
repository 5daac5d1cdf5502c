import { CheckFailure as FailureMessage } from "@pulumi/pulumi/proto/provider_pb";
import type { Secrets } from "../../base/runtime/messages/secrets";
import { NOT_THE_KEY } from "../../resource/inputRules";
import type { CheckFailure } from "../../resource/inputTable";
import { filled, shownLine } from "../session/rowReporter";
import type { Secrecy } from "./secrecy";

/**
 * The messages of check failures. The engine shows the value of the property that a failure names, also of a secret one, so the
 * failure of a secret property names it only in its text.
 *
 * @param alwaysSecret a property that is a secret however it was given
 */
export function checkFailures(
  failures: readonly CheckFailure[],
  secrets: Secrets,
  secrecy: Secrecy,
  alwaysSecret?: string,
): FailureMessage[] {
  return failures.map(({ property, reason }) => {
    const isSecret =
      property === alwaysSecret || secrecy.isAtOrBelow(property) || reason.includes(NOT_THE_KEY);
    return filled(new FailureMessage(), {
      property: isSecret ? "" : shownLine(property, secrets),
      reason: shownLine(isSecret ? `${property}: ${reason}` : reason, secrets),
    });
  });
}

const ONLY_ID = "is a resource itself, of which Pulumi gives a plugin only the id.";

/** What takes a resource with the classes of the npm package. Its domain may be the id of an export, which is the domain. */
const REASONS: Readonly<Record<string, string>> = {
  source:
    `${ONLY_ID} Write an object with outputs of the StaticExport: ` +
    "{ domain: docs.domain, jobId: docs.jobId, version: docs.version }; in Python, the second one is " +
    '"job_id": docs.job_id',
  "source.jobId": `${ONLY_ID} Write its output: docs.jobId, in Python docs.job_id`,
  "source.version": `${ONLY_ID} Write its output: docs.version`,
  "source.file": `${ONLY_ID} Write its output with the path of the file`,
};

/**
 * Failures of inputs that are a resource itself, such as `source=docs` in Python. Without them, a preview would take the id, which it
 * does not know yet, for a source that is not known yet, and only the run would fail.
 */
export function failuresOfWholeResources(references: ReadonlySet<string>): CheckFailure[] {
  return Object.entries(REASONS)
    .filter(([property]) => references.has(property))
    .map(([property, reason]) => ({ property, reason }));
}
