import { redact } from "../../../base/runtime/messages/plainText";
import { placeUri } from "./bucketPlace";
import { StoreError, type StoreFailure } from "./storeError";

/** What a failure means. In the texts, `{name}` stands for what is known of the request, see {@link FailedRequest}. */
export interface FailureRow {
  readonly failure: StoreFailure;
  readonly message: string;
  /** What helps. */
  readonly remedy: string;
}

/** What answers of a store mean. A key has codes that mean the same, with spaces between them; or it is a pattern. */
export type FailureTable = Readonly<Record<string, FailureRow>>;

/** Longest text of a store that a message contains, in characters. */
const TEXT_LIMIT = 300;

/** What helps against a failure of any store. */
export const STORE_REMEDIES = {
  busy: "The requests were repeated several times. Run `pulumi up` again later: it continues from what is stored.",
  unreachable:
    "Check the network, the destination's endpoint, and that the store is up. Make a private certificate authority known with NODE_EXTRA_CA_CERTS.",
} as const;

/** The store has other bytes than were sent. @param more what it said, or what happened to them */
export const corruptedRow = (more: string): FailureRow => ({
  failure: "corrupted",
  message: `the data that arrived at {where} differs from the data that was sent${more}{request}`,
  remedy: `Run \`pulumi up\` again. If it fails again, a proxy or the network changes the data.`,
});

/** The same, in the store's own code. */
export const CORRUPTED: FailureRow = corruptedRow(" ({code})");

/** The clocks of this machine and of the store differ. @param store whose clock it is */
export const clockRow = (store: string): FailureRow => ({
  failure: "clock",
  message: `the clock of this machine and that of ${store} differ too much`,
  remedy: `Set this machine's clock.`,
});

/** A reply whose message is the store's own. @param log where more is told */
export function otherRow(failure: StoreFailure, log: string): FailureRow {
  return {
    failure,
    message: "{action} on {where} failed with status {status} ({shortCode}): {text}{request}",
    remedy: `Run \`pulumi up\` again; if it fails again, see ${log}.`,
  };
}

/** The code of {@link NO_STORE}, which no store has. */
export const NO_STORE_CODE = "noStore";

/** A reply without what the store's own have: a code of its error, or what describes an object or a list. */
export const NO_STORE: FailureRow = {
  failure: "other",
  message: "{action} on {where} was answered by something that is no store",
  remedy:
    "A proxy or a login page answers in its place: check the destination's endpoint and the way to it, and run `pulumi up` again.",
};

/** The error for such a reply. @param uri of the bucket */
export const notTheStore = (
  request: StoreRequest<string>,
  { uri, prefix, status }: Pick<FailedRequest, "uri" | "prefix" | "status">,
): StoreError => failuresOf({ ...request, code: NO_STORE_CODE, text: "", uri, prefix, status }).by(NO_STORE);

/** An object in messages, or the destination. @param uri of the bucket */
export const whereOf = (uri: string, prefix = "", key?: string): string =>
  key === undefined ? placeUri(uri, prefix) : `${uri}/${key}`;

/** A request to a store. */
export interface StoreRequest<Action extends string> {
  /** The permission that it needs. */
  readonly action: Action;
  /** Of the object that it is about, if any. */
  readonly key?: string | undefined;
}

/** A request that failed, and what the store said about it. */
interface FailedRequest extends StoreRequest<string> {
  /** The bucket, and the prefix of the destination. */
  readonly uri: string;
  readonly prefix?: string | undefined;
  /** The store's own code, or the status, or the system's code where there was no reply. */
  readonly code: string;
  readonly status?: number | undefined;
  /** What the store said, unchanged. */
  readonly text: string;
  readonly requestId?: string | null | undefined;
  /** More for messages, by name. */
  readonly facts?: Readonly<Record<string, string>>;
}

/** The errors of a request. They contain no credential and no query of a link, since texts of the store are shortened and redacted. */
interface RequestFailures {
  /** What the store said, as messages may contain it. */
  readonly text: string;
  /** The error of a row. */
  by(row: FailureRow): StoreError;
  /** The error of the first row that has the code; `undefined` if none has it. */
  byCode(table: FailureTable): StoreError | undefined;
  /** The error of the first row whose pattern a text of the store matches. @param said without regard to case */
  bySaid(table: FailureTable, said: string): StoreError | undefined;
}

export function failuresOf({
  action,
  key,
  uri,
  prefix,
  code,
  status,
  requestId,
  ...request
}: FailedRequest): RequestFailures {
  const text = redact(request.text, TEXT_LIMIT);
  const facts: Readonly<Record<string, string>> = {
    code,
    action,
    status: String(status),
    text,
    shortCode: redact(code, 60),
    place: whereOf(uri, prefix),
    where: whereOf(uri, prefix, key),
    plainCode: /^[\w .-]{1,60}$/.test(code) ? code : "failed",
    said: text === "" || text === code ? "" : `: ${text}`,
    request: requestId ? ` (request id ${redact(requestId, 100)})` : "",
    ...request.facts,
  };
  const filled = (said: string): string => said.replace(/\{(\w+)\}/g, (_, name: string) => facts[name] ?? "");
  const by = ({ failure, message, remedy }: FailureRow): StoreError =>
    new StoreError(filled(message), filled(remedy), {
      failure,
      code,
      ...(status !== undefined && { status }),
    });
  /** The error of the first key that fits; `undefined` when none does. */
  const first = (table: FailureTable, fits: (key: string) => boolean): StoreError | undefined => {
    const found = Object.entries(table).find(([each]) => fits(each));
    return found && by(found[1]);
  };
  return {
    text,
    by,
    byCode: (table) => first(table, (codes) => codes.split(" ").includes(code)),
    bySaid: (table, said) => first(table, (pattern) => new RegExp(pattern, "is").test(said)),
  };
}
