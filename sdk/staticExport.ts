import type * as pulumi from "@pulumi/pulumi";
import type { JobReport } from "../provider/service/exportJob";
import type { StaticExportInputs } from "../provider/staticExport/inputs";
import { STATIC_EXPORT_OUTPUTS, type StaticExportOutputs } from "../provider/staticExport/outputs";
import {
  givenArgs,
  type InputNames,
  type InputsOf,
  isProvided,
  type OutputsOf,
  ProvidedResource,
  type WithDurations,
} from "./providedResource";

/** Arguments of {@link StaticExport}: see {@link StaticExportInputs} for the meaning of each. */
export type StaticExportArgs = WithDurations<
  InputsOf<Omit<StaticExportInputs, "exportOptions"> & { exportOptions?: ExportOptions }>,
  "renewBefore" | "renewalTimeout"
>;

/** Further fields of the request that starts the job. Not `domain`, which is an argument of its own. */
export interface ExportOptions {
  readonly [name: string]: unknown;
  readonly domain?: null | undefined;
}

/** Arguments of {@link StaticExport.get}. They include the job because the service cannot list the jobs of a site. */
export interface StaticExportLookup {
  /** The job. */
  jobId: pulumi.Input<string>;
  /** Label of the content. @default the id of the job */
  version?: pulumi.Input<string>;
  /** Base URL of the service. @default the configuration */
  baseUrl?: pulumi.Input<string>;
  /** Name of the environment variable with the admin API key. @default `DOCS_HOSTING_ADMIN_API_KEY` */
  apiKeyEnv?: pulumi.Input<string>;
}

/**
 * An export that this stack does not manage, as {@link StaticExport.get} reads it. It has no link: the provider mints links
 * only for managed exports.
 */
export type UnmanagedStaticExport = pulumi.CustomResource &
  Pick<StaticExport, "domain" | "version" | "jobId" | "status" | keyof JobReport | "baseUrl" | "apiKeyEnv">;

const INPUTS: InputNames<StaticExportInputs> = {
  domain: true,
  version: true,
  triggers: true,
  jobId: true,
  renewBefore: true,
  exportOptions: true,
  renewalTimeout: true,
  baseUrl: true,
  apiKeyEnv: true,
};

// a property of the class for each output
export interface StaticExport extends OutputsOf<StaticExportOutputs> {}

/** Exports without a link, because they were only read. */
const withoutLink = new WeakSet<object>();

/** Whether an export was read with {@link StaticExport.get}. */
export function hasNoLink(found: object): boolean {
  return withoutLink.has(found);
}

/**
 * A static export of a documentation site. Create and update run an export job at the documentation-hosting service, which
 * pre-renders the site into one bundle. Renewing the bundle's link keeps the bundle downloadable.
 *
 * The resource option `customTimeouts` limits create and update (default: 30 minutes each). If an export takes longer, the
 * next `pulumi up` continues it. A run that only renews the link ends after 5 minutes, see `renewalTimeout`.
 *
 * @example
 * const docs = new StaticExport("docs", { domain: "docs.example.com" });
 * export const pages = docs.pageCount;
 */
export class StaticExport extends ProvidedResource {
  /** Whether a value is a StaticExport, also of another copy of this package. */
  static override isInstance(value: unknown): value is StaticExport {
    return isProvided(value, "StaticExport");
  }

  /** Presigned link to the bundle, valid until `expiresAt`. Always a secret. */
  declare readonly bundleUrl: pulumi.Output<string>;

  /**
   * Reads an export that this stack does not manage: one GET at each preview and `up`. It starts and renews nothing. The
   * result has no `bundleUrl`: the provider mints links only for managed exports; to manage the export, use the input
   * `jobId`. To install an export of another stack, take `bundleUrl` and `version` from that stack, see
   * {@link StaticExportLink}.
   *
   * @param name unique name of the resource in the stack
   * @param id the site
   * @param lookup the job, and the service to read it from
   * @param opts Pulumi's resource options
   */
  static get(
    name: string,
    id: pulumi.Input<pulumi.ID>,
    lookup: StaticExportLookup,
    opts?: pulumi.CustomResourceOptions,
  ): UnmanagedStaticExport {
    const found = new StaticExport(name, { ...lookup, domain: id }, { ...opts, id });
    withoutLink.add(found);
    return found;
  }

  /**
   * @param name unique name of the resource in the stack
   * @param args what to export
   * @param opts Pulumi's resource options
   */
  constructor(name: string, args: StaticExportArgs, opts: pulumi.CustomResourceOptions = {}) {
    super("StaticExport", name, { inputs: INPUTS, outputs: STATIC_EXPORT_OUTPUTS }, givenArgs(args), opts);
  }
}
