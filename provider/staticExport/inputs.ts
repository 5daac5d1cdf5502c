import { hash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { parseDuration } from "../base/runtime/time/duration";
import { hasFields } from "../base/runtime/values/fields";
import { compareTexts } from "../base/runtime/values/textOrder";
import { withAnyValue } from "../resource/anyValue";
import { ruleOfDomain, ruleOfId, ruleOfVersion } from "../resource/inputRules";
import {
  changedByTable,
  inputNames,
  type InputTable,
  type RuleResult,
  text,
  withEffect,
} from "../resource/inputTable";
import { SERVICE_INPUTS, type ServiceInputs } from "../resource/serviceInputs";

/** The inputs of a static export, as plain values. The only definition of their names and effects. */
export interface StaticExportInputs extends ServiceInputs {
  /** The site to export, such as `docs.example.com`. Stored in lower case, international names in punycode. */
  domain: string;
  /**
   * Label of the content, such as a commit or a date. It is known in previews and becomes `staticExport.version` of the
   * installation. A new value starts a new export.
   *
   * @default the id of the job
   */
  version?: string;
  /**
   * Values whose change starts a new export: texts, numbers, switches, lists and plain objects of them. A `Date` of a program in Node.js
   * counts as its ISO text; other objects, such as a `Map`, a `URL` or an asset, are refused.
   *
   * @default none
   */
  triggers?: unknown[];
  /**
   * An existing job of this site to adopt. The provider starts no job: it waits for this one if it still runs, and mints a link.
   * Use it to roll back, or to manage an export made elsewhere. A job of another site is an error. While it is set, `version` is only a
   * label and `triggers` have no
   * effect. After you remove it, its content stays until `version` or `triggers` change.
   */
  jobId?: string;
  /**
   * Renew the link when less than this of its life is left: a duration such as `"24h"`, limited to half of the link's life.
   *
   * @default a third of the link's life
   */
  renewBefore?: string;
  /**
   * Further fields of the request that starts the job, for services that accept more than `domain`, such as
   * `{ paths: ["/guide"] }`. They are sent unchanged and must not contain `domain`. A change starts a new export. They have
   * no effect while `jobId` is set.
   */
  exportOptions?: Record<string, unknown>;
  /**
   * Time limit of a run that only renews the link, so that an outage does not block the run for long: a duration such as `"10m"`. A
   * shorter limit for updates in `customTimeouts`
   * takes precedence. A run that starts an export has the limit of exports instead.
   *
   * @default "5m"
   */
  renewalTimeout?: string;
}

/** Inputs after check: defaults filled in, values normalised. */
export type CheckedExportInputs = StaticExportInputs & Required<ServiceInputs>;

/** One row per input: its rule, its default, and the effect of a change. */
export const STATIC_EXPORT_INPUTS: InputTable<StaticExportInputs> = {
  domain: {
    change: "replaces",
    required: 'the site to export, such as "docs.example.com"',
    rule: ruleOfDomain,
  },
  version: {
    change: "content",
    filledIn: true,
    rule: ruleOfVersion,
  },
  triggers: {
    change: "content",
    isSame: (one, other) => isDeepStrictEqual(one ?? [], other ?? []),
    rule: withAnyValue((value) => (Array.isArray(value) ? { value } : { problem: "must be a list" }), true),
  },
  jobId: {
    change: "adopts",
    filledIn: true,
    rule: ruleOfId("an id of a job"),
  },
  renewBefore: {
    change: "remembered",
    rule: text(ruleOfDuration),
  },
  exportOptions: {
    change: "content",
    isSame: (one, other) => isDeepStrictEqual(one ?? {}, other ?? {}),
    rule: withAnyValue((value) => {
      if (!hasFields(value)) {
        return {
          problem: 'must be an object of fields of the start request, such as { paths: ["/guide"] }',
        };
      }
      return Object.hasOwn(value, "domain")
        ? { problem: "must not have the field domain: the input domain says which site is exported" }
        : { value };
    }, true),
  },
  renewalTimeout: {
    change: "remembered",
    rule: text(ruleOfDuration), // without a default: states of earlier releases have none
  },
  ...SERVICE_INPUTS,
};

function ruleOfDuration(value: string): RuleResult {
  return parseDuration(value) !== undefined
    ? { value }
    : { problem: `"${value}" is not a duration; write it like "90s", "30m" or "24h"` };
}

/** The digest's value for an absent input. The first three inputs, which every release has, have one. */
const ABSENT: Partial<Record<keyof StaticExportInputs, unknown>> = {
  version: null,
  triggers: [],
  jobId: null,
};

/** The inputs that determine the wanted content, in the order of their rows. */
const WANTED = withEffect(STATIC_EXPORT_INPUTS, inputNames(STATIC_EXPORT_INPUTS), "content", "adopts");

/**
 * The wanted content, as a digest. An interrupted job is continued only while the digest stays the same. It is a digest
 * because `version`, `triggers` and `exportOptions` may be secret. The state stores it only with a salt.
 *
 * Inputs of later releases come last, and absent inputs at the end are left out. So digests of earlier releases stay valid.
 */
export function intentOf(inputs: StaticExportInputs): string {
  const given = changedByTable(STATIC_EXPORT_INPUTS, inputs, {});
  const last = WANTED.findLastIndex((name) => name in ABSENT || given.includes(name));
  const wanted = WANTED.slice(0, last + 1).map((name) =>
    given.includes(name) ? inputs[name] : (ABSENT[name] ?? null),
  );
  return hash("sha256", JSON.stringify(wanted, sortKeys));
}

function sortKeys(_: string, value: unknown): unknown {
  return hasFields(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => compareTexts(a, b)))
    : value;
}
