import * as pulumi from "@pulumi/pulumi";
import type { StaticExport } from "./staticExport";

/** What counts of one export: every StaticExport has it, and a BundleCopy. */
export type FleetMember = Pick<StaticExport, "renewAfter" | "expiresAt">;

/** What tells from outside when a stack of many exports is due: outputs of the stack. */
export interface FleetOutputs {
  /** How many exports there are. */
  sites: pulumi.Output<number>;
  /** The earliest `renewAfter` of all (RFC 3339, UTC): from then on the next `pulumi up` renews a link. `undefined` when none has one. */
  renewAfter: pulumi.Output<string | undefined>;
  /** The earliest `expiresAt` of all (RFC 3339, UTC): then a link stops working. `undefined` when none has one. */
  expiresAt: pulumi.Output<string | undefined>;
}

/**
 * When the exports of a stack are due, in three outputs, so that an operator or a pipeline reads it without the state. In a preview
 * they are unknown as long as one of the exports is.
 *
 * @param fleet the exports: a list, or a record by name
 * @throws pulumi.RunError when there is none: a program that goes on without sites would have all of them deleted
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
        "missing, would have every site of the stack deleted, so this run ends here. Read the list so that its absence is an " +
        "error (`config.requireObject`); to delete all sites, run `pulumi destroy`.",
    );
  }
  return {
    sites: pulumi.output(members.length),
    renewAfter: earliest(members.map(({ renewAfter }) => renewAfter)),
    expiresAt: earliest(members.map(({ expiresAt }) => expiresAt)),
  };
}

/** Of those that there are, compared as instants: the same one can be written in many ways. */
function earliest(dates: pulumi.Output<string | undefined>[]): pulumi.Output<string | undefined> {
  return pulumi.all(dates).apply((known) => {
    const times = known.filter((date) => date !== undefined).map((date) => Date.parse(date));
    return times.length === 0 ? undefined : new Date(Math.min(...times)).toISOString();
  });
}
