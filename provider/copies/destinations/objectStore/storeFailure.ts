import { redact } from "../../../runtime/messages/plainText";
import { StoreError, type StoreFailure } from "./storeError";

/** What a failure means, its message, and what helps. `{name}` stands for what is known of the request, see {@link FailedRequest}. */
export type FailureRow = `${StoreFailure}: ${string} | ${string}`;

/** What answers of a store mean. A key has codes that mean the same, with spaces between them; or it is a pattern. */
export type FailureTable = Readonly<Record<string, FailureRow>>;

/** Longest text of a store that a message contains, in characters. */
const TEXT_LIMIT = 300;

/** What helps against a failure of any store. */
export const REMEDIES = {
  clock: "Set this machine's clock.",
  busy: "The requests were repeated several times. Run `pulumi up` again later: it continues from what is stored.",
  corrupted: "Run `pulumi up` again. If it fails again, a proxy or the network changes the data.",
  unreachable:
    "Check the network, the destination's endpoint, and that the store is up. Make a private certificate authority known with NODE_EXTRA_CA_CERTS.",
} as const;

/** The store has other bytes than were sent. */
export const CORRUPTED: FailureRow = `corrupted: the data that arrived at {where} differs from the data that was sent ({code}){request} | ${REMEDIES.corrupted}`;

/** An answer whose message is the store's own. @param log where more is told */
export function otherRow(failure: StoreFailure, log: string): FailureRow {
  return `${failure}: {action} on {where} failed with status {status} ({shortCode}): {text}{request} | Run \`pulumi up\` again; if it fails again, see ${log}.`;
}

interface Known {
  /** The store's own code, or the status, or the system's code where there was no answer. */
  readonly code: string;
  readonly status?: number | undefined;
  /** What the store said, unchanged. */
  readonly text: string;
  readonly requestId?: string | null | undefined;
  /** The permission that the request needs. */
  readonly action: string;
  /** The object or the place that it is about. */
  readonly where: string;
  /** More for messages, by name. */
  readonly facts: Readonly<Record<string, string>>;
}

/** A request that failed: its errors contain no credential and no query of a link, since texts of the store are shortened and redacted. */
export class FailedRequest {
  /** What the store said, as messages may contain it. */
  readonly text: string;
  readonly #known: Known;
  readonly #facts: Readonly<Record<string, string>>;

  constructor(known: Known) {
    const { code, status, requestId, action, where, facts } = known;
    this.#known = known;
    this.text = redact(known.text, TEXT_LIMIT);
    this.#facts = {
      ...{ code, action, where, status: String(status), text: this.text, shortCode: redact(code, 60) },
      plainCode: /^[\w .-]{1,60}$/.test(code) ? code : "failed",
      request: requestId ? ` (request id ${redact(requestId, 100)})` : "",
      ...facts,
    };
  }

  /** The error of a row. @param more facts */
  by(row: FailureRow, more: Readonly<Record<string, string>> = {}): StoreError {
    const [, failure, message = "", remedy = ""] = /^(\w+): (.*) \| (.*)$/.exec(row) ?? [];
    const facts = { ...this.#facts, ...more };
    const { code, status } = this.#known;
    const filled = (text: string): string =>
      text.replace(/\{(\w+)\}/g, (_, name: string) => facts[name] ?? "");
    return new StoreError(filled(message), filled(remedy), {
      ...{ failure: failure as StoreFailure, code },
      ...(status !== undefined && { status }),
    });
  }

  /** The error of the first pattern that what the store said has. @param table by pattern, without regard to case */
  bySaid(table: FailureTable, said: string): StoreError | undefined {
    const found = Object.entries(table).find(([pattern]) => new RegExp(pattern, "is").test(said));
    return found && this.by(found[1]);
  }

  /** The error of the code; `undefined` when the table does not have it. */
  byCode(table: FailureTable): StoreError | undefined {
    const found = Object.entries(table).find(([codes]) => codes.split(" ").includes(this.#known.code));
    return found && this.by(found[1]);
  }
}
