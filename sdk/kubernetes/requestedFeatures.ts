import {
  featureSupport,
  isFeature,
  quoteRows,
  SELF_HOSTED_KINDS,
  titleOf,
  unknownFeature,
  unknownName,
  type Feature,
  type SelfHostedDeploymentKind,
} from "../featureSupport";

/** What is asked for of an installation: `true` asks, `false` and absent are the same. */
export type RequestedFeatures = { readonly [Name in Feature]?: boolean };

/**
 * What of the requested features the chart has to be told: the configurable ones. Those that are always available need
 * no word.
 *
 * @returns the values, or what is wrong: an unknown name, or a feature that this kind of deployment cannot have
 */
export function featureValues(
  requested: RequestedFeatures,
  deploymentKind: SelfHostedDeploymentKind,
): { values: Partial<Record<Feature, true>> } | { problem: string } {
  if (!SELF_HOSTED_KINDS.includes(deploymentKind)) {
    return { problem: `${unknownName("deploymentKind", deploymentKind, SELF_HOSTED_KINDS)}.` };
  }
  const values: Partial<Record<Feature, true>> = {};
  const unavailable: Feature[] = [];
  for (const [name, asked] of Object.entries(requested) as [string, unknown][]) {
    if (!isFeature(name)) return { problem: `in \`features\`, ${unknownFeature(name)}.` };
    if (asked === undefined || asked === null || asked === false) continue;
    if (asked !== true) {
      return {
        problem:
          `\`features.${name}\` must be true or false, known when the program runs, not ${typeof asked}: ` +
          `it is checked before anything is created.`,
      };
    }
    const support = featureSupport(name, deploymentKind);
    if (support === "configurable") values[name] = true;
    if (support === "unavailable") unavailable.push(name);
  }
  return unavailable.length === 0 ? { values } : { problem: refusal(unavailable, deploymentKind) };
}

function refusal(features: readonly Feature[], deploymentKind: SelfHostedDeploymentKind): string {
  const names = features.map((feature) => `\`${feature}\``).join(" and ");
  const elsewhere = SELF_HOSTED_KINDS.filter((kind) =>
    features.every((feature) => featureSupport(feature, kind) !== "unavailable"),
  );
  return (
    `${features.map(titleOf).join(" and ")}: unavailable in an installation of the kind "${deploymentKind}".\n\n` +
    `${quoteRows(features)}\n\n` +
    `An air-gapped installation has no outbound network access, so nothing in it can rely on the service's cloud. ` +
    `Remove ${names} from \`features\`` +
    (elsewhere[0] === undefined
      ? "."
      : `; or, if this installation may reach the outside, give \`deploymentKind: "${elsewhere[0]}"\`.`)
  );
}
