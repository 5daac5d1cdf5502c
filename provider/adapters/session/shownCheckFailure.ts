import type { Secrets } from "../../base/runtime/messages/secrets";
import { NOT_THE_KEY } from "../../resource/inputRules";
import type { CheckFailure } from "../../resource/inputTable";
import { shownLine } from "./rowReporter";

/** What may be a credential in a text: a private key, a user and password or a query in an address, a key of the service. */
const CREDENTIALS = [/-----BEGIN /, /:\/\/[^\s/"?#]*@/, /:\/\/[^\s"]*[?&#]/, /\bsvc_\w/];

/**
 * A check failure as an adapter sends it. The engine prints the value of the property that a failure names, with the secrets in it: the
 * failure of a value that may be one names its property only in its text.
 *
 * @param given the user's inputs
 * @param isSecret whether the user marked the value as a secret
 */
export function shownCheckFailure(
  { property, reason }: CheckFailure,
  given: Readonly<Record<string, unknown>>,
  secrets: Secrets,
  isSecret = false,
): CheckFailure {
  const [name = ""] = property.split(/[.[]/);
  const isHidden = isSecret || reason.includes(NOT_THE_KEY) || mayBeSecret(name, given[name], secrets);
  const isNamed = !isHidden || reason.startsWith(`${property} `);
  return {
    property: isHidden ? "" : shownLine(property, secrets),
    reason: shownLine(isNamed ? reason : `${property}: ${reason}`, secrets),
  };
}

/** Whatever a service wants beside the domain may be a credential. */
const OF_OTHERS = "exportOptions";

function mayBeSecret(name: string, value: unknown, secrets: Secrets): boolean {
  if (name === OF_OTHERS) return true;
  const text = value === undefined ? "" : JSON.stringify(value);
  return secrets.removeFrom(text) !== text || CREDENTIALS.some((each) => each.test(text));
}
