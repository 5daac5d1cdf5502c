/** Whether a feature exists in a deployment kind. «configurable» depends on the setup of the environment. */
export type FeatureSupport = "available" | "configurable" | "unavailable";

/** Features to request of an installation: `true` requests a feature, `false` is the same as absent. */
export interface RequestedFeatures {
  /** Documentation search: configurable in a client-hosted installation, unavailable in an air-gapped one. */
  readonly search?: boolean | undefined;
  /** AI assistant: configurable in a client-hosted installation, unavailable in an air-gapped one. */
  readonly aiAssistant?: boolean | undefined;
  /** Web analytics: configurable in a client-hosted installation, unavailable in an air-gapped one. */
  readonly webAnalytics?: boolean | undefined;
  /** API playground ("Try it"): available in a client-hosted installation, configurable in an air-gapped one. */
  readonly apiPlayground?: boolean | undefined;
  /** Static export bundle: always available. */
  readonly staticExport?: boolean | undefined;
}

interface FeatureRow {
  readonly title: string;
  /** By the columns {@link KINDS}. */
  readonly cells: readonly FeatureSupport[];
}

/**
 * Which feature of the documentation platform exists in which deployment kind: title of each row, then its three cells.
 * This is the only copy of the table in the code; a test compares the docstrings above.
 */
const ROWS = {
  search: { title: "Documentation search", cells: ["available", "configurable", "unavailable"] },
  aiAssistant: { title: "AI assistant", cells: ["available", "configurable", "unavailable"] },
  webAnalytics: { title: "Web analytics", cells: ["available", "configurable", "unavailable"] },
  apiPlayground: { title: 'API playground ("Try it")', cells: ["available", "available", "configurable"] },
  staticExport: { title: "Static export bundle", cells: ["available", "available", "available"] },
} as const;
const TABLE: Readonly<Record<keyof RequestedFeatures, FeatureRow>> = ROWS;

/** Columns of the table, in its order. */
export const KINDS = ["cloud", "client-hosted", "air-gapped"] as const;
const HEADING = ["Feature", "Cloud", "Client-hosted", "Air-gapped"];

/** A row of the feature table. */
export type Feature = keyof RequestedFeatures;

/** A column of the feature table. */
export type DeploymentKind = (typeof KINDS)[number];

/** How an installation is set up that users run themselves. An air-gapped one has no outbound network access. */
export type SelfHostedDeploymentKind = "client-hosted" | "air-gapped";

/** The column of each deployment kind that users install themselves. */
type ColumnOf = { readonly "client-hosted": 1; readonly "air-gapped": 2 };

/** The features that can be requested in a deployment kind. One that is unavailable there can only be declined. */
export type FeaturesOf<Kind extends SelfHostedDeploymentKind> = {
  readonly [Name in Feature]?: (typeof ROWS)[Name]["cells"][ColumnOf[Kind]] extends "unavailable"
    ? false | undefined
    : boolean | undefined;
};

/** Names of the features, in the order of the table. */
export const FEATURES = Object.keys(TABLE) as readonly Feature[];

/** Names of the deployment kinds that users install themselves. */
const SELF_HOSTED_KINDS: readonly SelfHostedDeploymentKind[] = ["client-hosted", "air-gapped"];

/** What the table says. `undefined` for a deployment kind that it does not have. */
export function supportOf(feature: Feature, deploymentKind: DeploymentKind): FeatureSupport | undefined {
  return TABLE[feature].cells[KINDS.indexOf(deploymentKind)];
}

/** The chart's values for the requested features, or what is wrong with the request. */
export type CheckedFeatures = { values: Partial<Record<Feature, true>> } | { problem: string };

/** Whether a text names a row of the table. */
export function isFeature(name: string): name is Feature {
  return Object.hasOwn(TABLE, name);
}

/** The message for an unknown name: it lists the allowed ones. */
export function unknownName(what: string, name: unknown, allowed: readonly string[]): string {
  const given = typeof name === "string" ? `"${name}"` : `of type ${typeof name}`;
  return `there is no ${what} ${given}; there are ${allowed.map((one) => `"${one}"`).join(", ")}`;
}

/** The title of a feature in the table. */
export function featureTitle(feature: Feature): string {
  return TABLE[feature].title;
}

/** The heading and these rows of the table, as text. */
function quoteRows(features: readonly Feature[]): string {
  const rows = [HEADING, ...features.map((feature) => [TABLE[feature].title, ...TABLE[feature].cells])];
  const widths = HEADING.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) => `  | ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`)
    .join("\n");
}

/**
 * The chart's values for the requested features. Only configurable features need a value; an available feature needs none.
 *
 * @returns the values, or the problem: an unknown name, or a feature that is unavailable in this deployment kind
 */
export function featureValues(
  requested: RequestedFeatures,
  deploymentKind: SelfHostedDeploymentKind,
): CheckedFeatures {
  if (!SELF_HOSTED_KINDS.includes(deploymentKind)) {
    return { problem: `${unknownName("deploymentKind", deploymentKind, SELF_HOSTED_KINDS)}.` };
  }
  const values: Partial<Record<Feature, true>> = {};
  const unavailable: Feature[] = [];
  for (const [name, asked] of Object.entries(requested) as [string, unknown][]) {
    if (!isFeature(name)) return { problem: `in \`features\`, ${unknownName("feature", name, FEATURES)}.` };
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
    `${features.map(featureTitle).join(" and ")}: unavailable in an installation of the kind "${deploymentKind}".\n\n` +
    `${quoteRows(features)}\n\n` +
    `An air-gapped installation has no outbound network access, so nothing in it can rely on the service's cloud. ` +
    `Remove ${names} from \`features\`; or, if this installation may reach external hosts, give ` +
    '`deploymentKind: "client-hosted"`.' +
    (features.includes("search")
      ? " A search that needs no service is the input `offlineSearch` of a BundleCopy or an AirGapKit."
      : "") +
    (features.includes("aiAssistant")
      ? " Documents for an agent of your own are the input `llmsTxt` of a BundleCopy or an AirGapKit."
      : "")
  );
}
