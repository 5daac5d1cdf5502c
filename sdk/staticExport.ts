import type * as pulumi from "@pulumi/pulumi";
import { STATIC_EXPORT_INPUTS, type StaticExportInputs } from "../provider/staticExport/inputs";
import type { StaticExportOutputs } from "../provider/staticExport/state";
import { ProvidedResource } from "./providedResource";
import { unset, type InputsOf, type OutputsOf } from "./resourceProperties";
import { markWithoutLink } from "./staticExportLink";

/** Arguments of {@link StaticExport}: see {@link StaticExportInputs} for the meaning of each. */
export type StaticExportArgs = InputsOf<StaticExportInputs>;

/** What {@link StaticExport.get} needs to find an export: the service cannot list the jobs of a site. */
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
 * An export that something else manages, as {@link StaticExport.get} reads it. It has no link: links are minted only for
 * an export that is managed.
 */
export type UnmanagedStaticExport = pulumi.CustomResource &
  Pick<StaticExport, "domain" | "version" | "jobId" | "status" | "pageCount" | "baseUrl" | "apiKeyEnv">;

/** Outputs that no input has: Pulumi makes properties of those that it is told of. */
export const FROM_SERVICE: Record<Exclude<keyof StaticExportOutputs, keyof StaticExportInputs>, undefined> = {
  status: undefined,
  pageCount: undefined,
  bundleUrl: undefined,
  bundleSize: undefined,
  expiresAt: undefined,
  renewAfter: undefined,
};

/** Values of the outputs of {@link StaticExport}. */
type Outputs = OutputsOf<StaticExportOutputs>;

/**
 * A static export of a documentation site: created and updated by running an export job at the documentation-hosting
 * service, which pre-renders the site into one bundle, and kept downloadable by renewing the bundle's link.
 *
 * The resource option `customTimeouts` limits create and update (default: 30 minutes each); an export that takes longer
 * is continued by the next `pulumi up`. A run that only renews the link ends after 5 minutes, see `renewalTimeout`.
 *
 * @example
 * const docs = new StaticExport("docs", { domain: "docs.example.com" });
 * export const pages = docs.pageCount;
 */
export class StaticExport extends ProvidedResource implements Required<Outputs> {
  /** The site, in lower case. */
  declare readonly domain: Outputs["domain"];
  /** The label given, or the id of the job. */
  declare readonly version: Outputs["version"];
  /** The triggers given. */
  declare readonly triggers: Required<Outputs>["triggers"];
  /** The job that the link belongs to. */
  declare readonly jobId: Outputs["jobId"];
  /** Status of that job: `completed`. */
  declare readonly status: Outputs["status"];
  /** Pages of the export, when the service says so. */
  declare readonly pageCount: Required<Outputs>["pageCount"];
  /** Presigned link to the bundle, valid until `expiresAt`: always a secret. */
  declare readonly bundleUrl: pulumi.Output<string>;
  /** When the link stops working (ISO 8601), when the service says so. */
  declare readonly expiresAt: Required<Outputs>["expiresAt"];
  /** From then on the next `pulumi up` renews the link (ISO 8601). */
  declare readonly renewAfter: Required<Outputs>["renewAfter"];
  /** Size of the bundle in bytes, when the service says so. */
  declare readonly bundleSize: Required<Outputs>["bundleSize"];
  /** The fields given. */
  declare readonly exportOptions: Required<Outputs>["exportOptions"];
  /** The duration given. */
  declare readonly renewBefore: Required<Outputs>["renewBefore"];
  /** The duration given. */
  declare readonly renewalTimeout: Required<Outputs>["renewalTimeout"];
  /** Base URL of the service that made the export. */
  declare readonly baseUrl: Outputs["baseUrl"];
  /** Name of the environment variable with the API key. */
  declare readonly apiKeyEnv: Outputs["apiKeyEnv"];

  /**
   * Reads an export that something else manages: one GET at each preview and `up`, nothing is started or renewed. It
   * has no `bundleUrl`: a link is only minted for an export that is managed; see the input `jobId` for that. To install
   * what another stack exports, take `bundleUrl` and `version` from that stack, see {@link StaticExportLink}.
   *
   * @param name unique name of the resource in the stack
   * @param id the site
   * @param lookup the job, and where to ask
   * @param opts Pulumi's resource options
   */
  static get(
    name: string,
    id: pulumi.Input<pulumi.ID>,
    lookup: StaticExportLookup,
    opts?: pulumi.CustomResourceOptions,
  ): UnmanagedStaticExport {
    const found = new StaticExport(name, { ...lookup, domain: id }, { ...opts, id });
    markWithoutLink(found);
    return found;
  }

  /**
   * @param name unique name of the resource in the stack
   * @param args what to export
   * @param opts Pulumi's resource options
   */
  constructor(name: string, args: StaticExportArgs, opts: pulumi.CustomResourceOptions = {}) {
    super(
      "StaticExport",
      name,
      {
        ...unset(STATIC_EXPORT_INPUTS),
        ...args,
        ...FROM_SERVICE,
      },
      opts,
      ["bundleUrl"],
    );
  }
}
