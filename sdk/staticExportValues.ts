import * as pulumi from "@pulumi/pulumi";
import type { StaticExport } from "./staticExport";
import { linkOf, type StaticExportLink } from "./staticExportLink";

/** The values group by which the deployment chart of a self-hosted installation fetches a bundle and serves it. */
export interface StaticExportValues {
  staticExport: {
    /** Turns serving of a static export on. */
    enabled: boolean;
    /** The link, fetched by the installation on startup. A secret. */
    bundleUrl: pulumi.Output<string>;
    /** Pins the version for reproducible rollouts. */
    version: pulumi.Output<string>;
    /** Job that made the content: another one under the same version is rolled out, too. */
    jobId: pulumi.Output<string>;
  };
}

/** {@link StaticExportValues} of a link that may come without version and job. */
export interface StaticExportLinkValues {
  staticExport: Omit<StaticExportValues["staticExport"], "version" | "jobId"> &
    Partial<Pick<StaticExportValues["staticExport"], "version" | "jobId">>;
}

/**
 * The values group for a Helm release of the self-hosted installation, for those who write the release themselves.
 *
 * @param source the export, or `{ bundleUrl, version?, jobId? }` of one that another stack has
 * @throws pulumi.RunError for an export that was read with `StaticExport.get`, which has no link, or when the link turns
 *   out to be missing
 *
 * @example
 * new kubernetes.helm.v3.Release("docs", { chart: "./chart", values: { ...staticExportValues(docs), replicas: 2 } });
 */
export function staticExportValues(source: StaticExport): StaticExportValues;
export function staticExportValues(source: StaticExportLink): StaticExportLinkValues;
export function staticExportValues(source: StaticExport | StaticExportLink): StaticExportLinkValues {
  return valuesOf(source, "staticExportValues");
}

/** @param owner who asks, for messages */
export function valuesOf(source: StaticExport | StaticExportLink, owner: string): StaticExportLinkValues {
  const bundleUrl = linkOf(source, owner);
  const { version, jobId } = source as StaticExportLink;
  return {
    staticExport: {
      enabled: true,
      bundleUrl,
      ...(version !== undefined && { version: pulumi.output(version) }),
      ...(jobId !== undefined && { jobId: pulumi.output(jobId) }),
    },
  };
}
