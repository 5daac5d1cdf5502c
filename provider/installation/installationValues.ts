import { isUnknown, UNKNOWN } from "../base/runtime/messages/plainText";
import { hasFields } from "../base/runtime/values/fields";
import { mergeValues } from "../kits/contents/mergeValues";
import type { SelfHostedDeploymentKind } from "./featureTable";
import { type ImageVerification, NOTHING_TO_VERIFY, verificationProblem } from "./imageVerification";
import { checkFeatures } from "./installationFeatures";
import { type InstalledSite, readSite, type Refuse, type Servable, SITE_ARGUMENTS } from "./installedSite";
import { airGappedByLink, copyValues, installedValues, needsLink, siteValues } from "./siteValues";

/** Arguments of {@link installationValues}. */
export interface InstallationInputs extends InstalledSite {
  /**
   * How the platform is installed. The kind decides which `features` are available. An `"air-gapped"` installation has no
   * outbound network access.
   */
  deploymentKind: SelfHostedDeploymentKind;
  /**
   * Features to request, by name: `search`, `aiAssistant`, `webAnalytics`, `apiPlayground`, `staticExport`. A feature that is
   * unavailable in the deployment kind is an error. A configurable feature is passed to the chart's values, as
   * `features: { search: true }`. An available feature adds no value.
   *
   * @default none
   */
  features?: Readonly<Record<string, boolean>>;
  /**
   * Verify the signature of the image with the public key of its signer. An image that is not signed, or by another key, is an error. The
   * function asks the registry for the signature.
   *
   * @default nothing is verified, and no request is sent
   */
  verify?: ImageVerification;
  /** Further values of the chart. The values of the static export override them: groups are merged, lists are replaced. */
  values?: Readonly<Record<string, unknown>>;
}

/** The result of {@link installationValues}. */
export interface InstallationOutputs {
  /** Values for a Helm release of the deployment chart. A secret if they contain a link. */
  values: Readonly<Record<string, unknown>>;
}

/** The outputs, or everything that is wrong with the arguments. */
type InstallationResult =
  | {
      readonly outputs: InstallationOutputs;
      /** The link in the outputs, if it is known: a secret. */
      readonly link?: string;
      /** What the user should know. */
      readonly warning?: string;
      /** The image whose signature must be verified before the values are used. */
      readonly unverified?: { readonly image: string; readonly verification: ImageVerification };
    }
  | { readonly problems: readonly string[] };

/**
 * The values for a Helm release of the self-hosted installation: with them the deployment chart fetches the bundle on startup, or
 * serves an image. The features are checked against the table of what exists in which deployment kind. No request is sent, unless
 * `verify` is given. Pass `values` to a `kubernetes.helm.v3.Release`.
 *
 * @param given see {@link InstallationInputs}; unchecked, and values may be unknown
 */
export function installationValues(given: Readonly<Record<string, unknown>>): InstallationResult {
  const args = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
  const { deploymentKind, features = {}, values = {}, verify, ...site } = args;
  const problems: string[] = [];
  const refuse: Refuse = (problem) => void problems.push(problem);
  refuseUnknownArguments(site, refuse);
  const served = readSite(site, refuse);
  const requested = requestedOf(features, deploymentKind, refuse);
  const theirs = groupOf(values, refuse);
  const signed = served && verificationIn(verify, served, refuse);
  if (problems.length > 0) return { problems };
  const facts = served?.facts;
  if (!facts || !requested || !theirs || signed === undefined) {
    return { outputs: { values: UNKNOWN as unknown as InstallationOutputs["values"] } };
  }
  const ours = installedValues(served.isCopy ? copyValues(facts) : siteValues(facts), requested);
  // of a group that is not known yet nothing is known
  const merged = mergeValues(theirs, ours, (group) => (isUnknown(group) ? group : undefined));
  const { bundleUrl } = facts;
  return {
    outputs: { values: merged },
    ...(bundleUrl !== undefined && !isUnknown(bundleUrl) && { link: bundleUrl }),
    ...signed,
    ...(deploymentKind === "air-gapped" && needsLink(facts) && { warning: airGappedByLink(REMEDY) }),
  };
}

const REMEDY = "pass the outputs of a BundleCopy with the destination { repository, base }";

function refuseUnknownArguments(site: Readonly<Record<string, unknown>>, refuse: Refuse): void {
  const name = Object.keys(site).find((each) => !(SITE_ARGUMENTS as readonly string[]).includes(each));
  const names = [...SITE_ARGUMENTS, "deploymentKind", "features", "verify", "values"].join(", ");
  if (name !== undefined) refuse(`there is no argument \`${name}\`. Arguments are: ${names}.`);
}

/** The image that must be verified, if any: `undefined` if the verification is refused, or not known yet. */
function verificationIn(
  verify: unknown,
  { facts }: Servable,
  refuse: Refuse,
): Pick<Extract<InstallationResult, { outputs: unknown }>, "unverified"> | undefined {
  if (verify === undefined) return {};
  if (isUnknown(verify)) return undefined;
  if (!hasFields(verify)) return refuse("`verify` must be an object: { publicKey }.");
  const isPartlyUnknown = Object.values(verify).some(isUnknown);
  const problem = isPartlyUnknown ? undefined : verificationProblem({ ...verify });
  if (problem !== undefined) return refuse(problem);
  if (facts === undefined) return undefined;
  const image = facts.siteImage ?? facts.volumeImage;
  if (image === undefined) return refuse(NOTHING_TO_VERIFY);
  if (isPartlyUnknown) return undefined;
  return isUnknown(image)
    ? {}
    : { unverified: { image, verification: verify as unknown as ImageVerification } };
}

/** The values of the features: `undefined` if they are refused, or not known yet. */
function requestedOf(features: unknown, deploymentKind: unknown, refuse: Refuse): object | undefined {
  const checked = checkFeatures(features, deploymentKind);
  if (checked === undefined) return undefined;
  return "problem" in checked ? refuse(checked.problem) : checked.values;
}

/** The user's values: `undefined` if they are refused, or not known yet. */
function groupOf(values: unknown, refuse: Refuse): object | undefined {
  if (isUnknown(values)) return undefined;
  return hasFields(values) ? values : refuse("`values` must be an object, such as { replicas: 2 }.");
}
