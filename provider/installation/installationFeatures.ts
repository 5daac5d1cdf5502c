import { isUnknown } from "../base/runtime/messages/plainText";
import { hasFields } from "../base/runtime/values/fields";
import { type CheckedFeatures, FEATURES, featureValues, type SelfHostedDeploymentKind } from "./featureTable";

/** Arguments of {@link installationFeatures}. */
export interface InstallationFeaturesInputs {
  /**
   * How the platform is installed. The kind decides which `features` are available. An `"air-gapped"` installation has no
   * outbound network access.
   */
  deploymentKind: SelfHostedDeploymentKind;
  /**
   * Features to request, by name: `search`, `aiAssistant`, `webAnalytics`, `apiPlayground`, `staticExport`. A feature that is
   * unavailable in the deployment kind is an error.
   *
   * @default none
   */
  features?: Readonly<Record<string, boolean>>;
}

/** The result of {@link installationFeatures}: the arguments, for `installationValues`. */
export interface InstallationFeaturesOutputs {
  /** The kind of the installation. */
  deploymentKind: SelfHostedDeploymentKind;
  /** The requested features. */
  features: Readonly<Record<string, boolean>>;
}

/**
 * Checks the kind and the features of an installation against the table of what exists in which deployment kind, and returns both.
 * Pass them to `installationValues`. No request is sent.
 *
 * Pulumi calls no function while one of its arguments is unknown. `installationValues` takes a link or an image, so the first preview
 * of a stack does not call it. The arguments of this function are known: the first preview refuses a wrong kind or feature.
 *
 * @param given see {@link InstallationFeaturesInputs}; unchecked
 */
export function installationFeatures(
  given: Readonly<Record<string, unknown>>,
): { readonly outputs: InstallationFeaturesOutputs } | { readonly problem: string } {
  const args = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
  const { deploymentKind, features = {}, ...others } = args;
  const [other] = Object.keys(others);
  if (other !== undefined) {
    return { problem: `there is no argument \`${other}\`. Arguments are: deploymentKind, features.` };
  }
  const checked = checkFeatures(features, deploymentKind);
  if (checked !== undefined && "problem" in checked) return checked;
  return { outputs: { deploymentKind, features } as InstallationFeaturesOutputs };
}

/**
 * The chart's values for the features, or what is wrong with them. What is known is checked.
 *
 * @param features unchecked, and values may be unknown
 * @param deploymentKind as `features`
 * @returns `undefined` if not everything is known, and nothing that is known is wrong
 */
export function checkFeatures(features: unknown, deploymentKind: unknown): CheckedFeatures | undefined {
  const kind = deploymentKind as SelfHostedDeploymentKind;
  if (isUnknown(features)) {
    const checked = isUnknown(deploymentKind) ? undefined : featureValues({}, kind);
    return checked !== undefined && "problem" in checked ? checked : undefined;
  }
  if (!hasFields(features)) {
    return { problem: `\`features\` must be an object with some of ${FEATURES.join(", ")}.` };
  }
  const known = Object.fromEntries(Object.entries(features).filter(([, value]) => !isUnknown(value)));
  // a client-hosted installation may have every feature: what remains to check of them is their names and types
  const checked = featureValues(known, isUnknown(deploymentKind) ? "client-hosted" : kind);
  const isAllKnown = Object.keys(known).length === Object.keys(features).length && !isUnknown(deploymentKind);
  return isAllKnown || "problem" in checked ? checked : undefined;
}
