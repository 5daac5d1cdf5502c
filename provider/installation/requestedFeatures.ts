import {
  isFeature,
  quoteRows,
  SELF_HOSTED_KINDS,
  supportOf,
  titleOf,
  unknownFeature,
  unknownName,
  type Feature,
  type RequestedFeatures,
  type SelfHostedDeploymentKind,
} from "./featureTable";

/**
 * The chart's values for the requested features. Only configurable features need a value; an available feature needs none.
 *
 * @returns the values, or the problem: an unknown name, or a feature that is unavailable in this deployment kind
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
    const support = supportOf(name, deploymentKind);
    if (support === "configurable") values[name] = true;
    if (support === "unavailable") unavailable.push(name);
  }
  return unavailable.length === 0 ? { values } : { problem: refusal(unavailable, deploymentKind) };
}

function refusal(features: readonly Feature[], deploymentKind: SelfHostedDeploymentKind): string {
  const names = features.map((feature) => `\`${feature}\``).join(" and ");
  return (
    `${features.map(titleOf).join(" and ")}: unavailable in an installation of the kind "${deploymentKind}".\n\n` +
    `${quoteRows(features)}\n\n` +
    `An air-gapped installation has no outbound network access, so nothing in it can rely on the service's cloud. ` +
    `Remove ${names} from \`features\`; or, if this installation may reach external hosts, give ` +
    '`deploymentKind: "client-hosted"`.' +
    (features.includes("search")
      ? " A search that needs no service is the input `offlineSearch` of a BundleCopy or an AirGapKit."
      : "")
  );
}
