import * as pulumi from "@pulumi/pulumi";
import type { StaticExport } from "./staticExport";

/** The values group of the deployment chart, see `spec.md`, Deploying a bundle into a self-hosted installation. */
export interface StaticExportValues {
  staticExport: {
    /** Turns serving of a static export on. */
    enabled: boolean;
    /** The link, fetched by the installation on startup. A secret. */
    bundleUrl: pulumi.Output<string>;
    /** Pins the version for reproducible rollouts. */
    version: pulumi.Output<string>;
  };
}

/**
 * The values group for a Helm release of the self-hosted installation, for those who write the release themselves.
 *
 * @example
 * new kubernetes.helm.v3.Release("docs", { chart: "./chart", values: { ...staticExportValues(docs), replicas: 2 } });
 */
export function staticExportValues(staticExport: StaticExport): StaticExportValues {
  return {
    staticExport: {
      enabled: true,
      bundleUrl: pulumi.secret(staticExport.bundleUrl),
      version: staticExport.version,
    },
  };
}
