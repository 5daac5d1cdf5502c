import * as pulumi from "@pulumi/pulumi";
import {
  type DeploymentKind,
  type Feature,
  FEATURES,
  type FeatureSupport,
  isFeature,
  KINDS,
  supportOf,
  unknownName,
} from "../provider/installation/featureTable";

/**
 * Whether a feature of the documentation platform exists in a deployment kind.
 *
 * @throws pulumi.RunError for a name that is not in the table; the message lists the names that are
 *
 * @example
 * featureSupport("search", "air-gapped"); // "unavailable"
 */
export function featureSupport(feature: Feature, deploymentKind: DeploymentKind): FeatureSupport {
  if (!isFeature(feature)) throw new pulumi.RunError(unknownName("feature", feature, FEATURES));
  const support = supportOf(feature, deploymentKind);
  if (support === undefined) throw new pulumi.RunError(unknownName("deployment kind", deploymentKind, KINDS));
  return support;
}
