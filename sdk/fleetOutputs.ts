import * as pulumi from "@pulumi/pulumi";
import type { StaticExport } from "./staticExport";

/** The outputs of one export that are compared. Every StaticExport and BundleCopy has them. */
export type FleetMember = Pick<StaticExport, "renewAfter" | "expiresAt">;

/** Stack outputs that show when a stack of many exports needs the next `pulumi up`. */
export interface FleetOutputs {
  /** Number of exports. */
  sites: pulumi.Output<number>;
  /**
   * The earliest `renewAfter` of all (RFC 3339, UTC): from then on the next `pulumi up` renews a link. `undefined` when none has
   * one.
   */
  renewAfter: pulumi.Output<string | undefined>;
  /** The earliest `expiresAt` of all (RFC 3339, UTC): then a link stops working. `undefined` when none has one. */
  expiresAt: pulumi.Output<string | undefined>;
}

/**
 * Three outputs that show when the exports of a stack need the next `pulumi up`. An operator or a pipeline can read them without
 * the state. In a preview the dates are unknown if those of any export are.
 *
 * @param fleet the exports: a list, or a record by name
 * @throws pulumi.RunError when there are no exports: if the program continued, Pulumi would delete all sites
 *
 * @example
 * const exports = siteList.map((domain) => new StaticExport(domain, { domain }));
 * export const { sites, renewAfter, expiresAt } = fleetOutputs(exports);
 */
export function fleetOutputs(
  fleet: readonly FleetMember[] | Readonly<Record<string, FleetMember>>,
): FleetOutputs {
  const members = Object.values(fleet);
  if (members.length === 0) {
    throw new pulumi.RunError(
      "fleetOutputs: there are no exports. A list that is empty by mistake, such as one read from a configuration that is " +
        "missing, would delete every site of the stack, so this run ends here. Read the list so that its absence is an " +
        "error (`config.requireObject`); to delete all sites, run `pulumi destroy`.",
    );
  }
  return {
    sites: pulumi.output(members.length),
    renewAfter: earliest(members.map(({ renewAfter }) => renewAfter)),
    expiresAt: earliest(members.map(({ expiresAt }) => expiresAt)),
  };
}

/** The earliest date, compared as instants because the same instant can be written in many ways. */
function earliest(dates: pulumi.Output<string | undefined>[]): pulumi.Output<string | undefined> {
  return pulumi.all(dates).apply((known) => {
    const times = known.filter((date) => date !== undefined).map((date) => Date.parse(date));
    return times.length === 0 ? undefined : new Date(Math.min(...times)).toISOString();
  });
}
