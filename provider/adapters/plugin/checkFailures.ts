import { CheckFailure as FailureMessage } from "@pulumi/pulumi/proto/provider_pb";
import { NOT_THE_KEY } from "../../resource/serviceInputs";
import type { CheckFailure } from "../../resource/inputTable";
import type { Secrets } from "../../runtime/messages/secrets";
import { shown } from "../session/rowReporter";
import { filled } from "./calls";
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
      property: isSecret ? "" : shown(property, secrets),
      reason: shown(isSecret ? `${property}: ${reason}` : reason, secrets),
    });
  });
}
