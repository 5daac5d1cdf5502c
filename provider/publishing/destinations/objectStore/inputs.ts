import { isPrintable } from "../../../base/runtime/messages/plainText";
import { parseDuration } from "../../../base/runtime/time/duration";
import { RECORDS_FOLDER } from "../../ownership/placeMark";
import {
  type DestinationField,
  type DestinationFields,
  type FieldsOfKind,
  isCopyLayout,
  LAYOUT,
  type Layout,
  LAYOUTS,
} from "../destination";

/** What a prefix leaves for the names below it, in bytes. */
const LONGEST_PREFIX_BYTES = 512;
/** A link that ends sooner is of no use: signed links count whole seconds. */
const SHORTEST_LINK_LIFE_MS = 1_000;
/** Longest life of a link that is signed with an access key, at every large store. */
export const LONGEST_LINK_LIFE_MS: number = 7 * 24 * 3_600_000;

/** The field `prefix` of a bucket. */
export const PREFIX: DestinationField = {
  change: "replaces",
  // it is stored without the slash at its end
  normal: (value) => (typeof value === "string" ? value.replace(/\/$/, "") : value),
  problem: prefixProblem,
};

/** {@link PREFIX} of a store with rules of its own. @param brokenRule of a key, see `ObjectStore` */
export const prefixFor = (brokenRule: (key: string) => string | undefined): DestinationField => ({
  ...PREFIX,
  problem: (value) => {
    const problem = prefixProblem(value);
    if (problem !== undefined || typeof value !== "string" || value === "") return problem;
    const rule = brokenRule(`${value.replace(/\/$/, "")}/a`);
    return rule && `cannot be used. ${rule}`;
  },
});

/** How copies are kept in a bucket of any store. */
export interface KeepingInputs {
  /** One object, named by its digest; or every file of the site. @default "archive" */
  readonly layout?: Layout;
  /**
   * Layout `site`: whether a page `guide.html` is stored a second time as `guide`, for hosting that does not find it at `/guide`.
   * `false` halves objects and requests, for hosts that do. A change adds or removes these objects.
   *
   * @default true
   */
  readonly cleanUrls?: boolean;
  /** How long a signed link lives, such as "24h": links are signed where it is given. */
  readonly linkLife?: string;
}

/** The rows of {@link KeepingInputs}. */
export const KEEPING: FieldsOfKind<KeepingInputs> = {
  layout: LAYOUT,
  cleanUrls: {
    change: "content",
    isJson: true,
    key: (value) => value ?? true, // states that have none are as with `true`
    problem: (value, { layout }) => {
      if (typeof value !== "boolean") return "must be true or false";
      return isCopyLayout(layout) && LAYOUTS[layout].isArchive ? "is for the layout «site» only" : undefined;
    },
  },
  linkLife: { change: "link", problem: linkLifeProblem },
};

/** The names that fields of a bucket have in a request for a new object. */
type SentFields<Inputs, Where extends keyof Inputs, Parameters> = {
  readonly [Name in Exclude<keyof Inputs, Where | keyof KeepingInputs>]-?: keyof Parameters;
};

/**
 * The parameters of a request for a new object that come from the destination. Those of absent fields are `undefined`. A field that neither
 * says where the bucket is (`Where`) nor how copies are kept needs a name: one that is never sent does not compile.
 */
export function sentParameters<Inputs, Where extends keyof Inputs, Parameters>(
  inputs: Inputs,
  names: SentFields<Inputs, Where, Parameters>,
): Partial<Parameters> {
  const parameters = Object.entries<keyof Parameters>(names);
  return Object.fromEntries(
    parameters.map(([field, parameter]) => [parameter, inputs[field as keyof Inputs]]),
  ) as unknown as Partial<Parameters>;
}

/** Letter case of the host, a default port and a slash at the end make no other address. */
export function sameAddress(value: unknown): unknown {
  return typeof value === "string" ? (URL.parse(value)?.href.replace(/\/+$/, "") ?? value) : value;
}

/**
 * The problem of an address of a store.
 *
 * @param credentials where they come from instead
 * @param problem of an address that is otherwise right
 */
export function addressProblem(
  value: unknown,
  example: string,
  credentials: string,
  problem: (url: URL) => string | undefined,
): string | undefined {
  const url = typeof value === "string" ? URL.parse(value) : null;
  if (url?.protocol !== "https:" && url?.protocol !== "http:") {
    return `must be an http(s) URL such as ${example}`;
  }
  if (url.username !== "" || url.password !== "") {
    return `must not contain credentials: they come from ${credentials}`;
  }
  if (url.search === "" && url.hash === "") return problem(url);
  return `must not have a query or fragment: credentials come from ${credentials}`;
}

function prefixProblem(value: unknown): string | undefined {
  if (typeof value !== "string") return "must be a string such as «docs/site»";
  if (value === "") return undefined;
  if (!isPrintable(value) || value.includes("\\")) return "must not contain control characters or «\\»";
  if (value.startsWith("/")) return `must not begin with «/»: write «${value.replace(/^\/+/, "")}»`;
  const segments = value.split("/");
  if (segments.some((segment) => segment === "" || segment === "." || segment === "..")) {
    return "must not contain empty segments, «.» or «..»";
  }
  if (segments.includes(RECORDS_FOLDER)) {
    return `must not contain «${RECORDS_FOLDER}», the folder of the copies' records`;
  }
  if (Buffer.byteLength(value) > LONGEST_PREFIX_BYTES) {
    return `must not be longer than ${LONGEST_PREFIX_BYTES} bytes`;
  }
  return undefined;
}

function linkLifeProblem(value: unknown, { layout }: DestinationFields): string | undefined {
  if (isCopyLayout(layout) && !LAYOUTS[layout].isArchive) {
    return "is for the layout «archive» only: a site's pages cannot be signed one by one";
  }
  const lifeMs = typeof value === "string" ? parseDuration(value) : undefined;
  if (lifeMs === undefined) return "must be a duration such as «24h»";
  if (lifeMs < SHORTEST_LINK_LIFE_MS || lifeMs > LONGEST_LINK_LIFE_MS) {
    return "must be from «1s» to «168h»: a signature lives 7 days at most";
  }
  return undefined;
}
