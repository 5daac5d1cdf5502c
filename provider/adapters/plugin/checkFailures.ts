import { CheckFailure as FailureMessage } from "@pulumi/pulumi/proto/provider_pb";
import type { Secrets } from "../../base/runtime/messages/secrets";
import type { CheckFailure } from "../../resource/inputTable";
import { filled } from "../session/rowReporter";
import { shownCheckFailure } from "../session/shownCheckFailure";
import type { Secrecy } from "./secrecy";

/**
 * The messages of check failures, see {@link shownCheckFailure}.
 *
 * @param given the user's inputs
 * @param alwaysSecret a property that is a secret however it was given
 */
export function checkFailures(
  failures: readonly CheckFailure[],
  given: Readonly<Record<string, unknown>>,
  secrets: Secrets,
  secrecy: Secrecy,
  alwaysSecret?: string,
): FailureMessage[] {
  return failures.map((failure) => {
    const isSecret = failure.property === alwaysSecret || secrecy.isAtOrBelow(failure.property);
    return filled(new FailureMessage(), shownCheckFailure(failure, given, secrets, isSecret));
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
