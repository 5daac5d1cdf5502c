import * as pulumi from "@pulumi/pulumi";
import { fleetOutputs, StaticExport } from "pulumi-docs-hosting";
import { readSites } from "./siteList";

const config = new pulumi.Config();

// One file of sites is one stack. Required, without a default: a run that lost its configuration must end here, for one
// that went on without sites would delete them all.
const list = Object.entries(readSites(config.require("sites")));

const fleet = Object.fromEntries(list.map(([name, site]) => [name, new StaticExport(name, site)]));

// What tells from outside when the stack is due.
export const { sites, renewAfter, expiresAt } = fleetOutputs(fleet);
