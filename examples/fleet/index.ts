import * as pulumi from "@pulumi/pulumi";
import { fleetOutputs, StaticExport } from "pulumi-docs-hosting";
import { readSites } from "./siteList";

const config = new pulumi.Config();

// One file of sites is one stack. Required, without a default: a run without its configuration must end here. Continuing without
// sites would delete all of them.
const list = Object.entries(readSites(config.require("sites")));

const fleet = Object.fromEntries(list.map(([name, site]) => [name, new StaticExport(name, site)]));

// Shows from outside when the stack is due.
export const { sites, renewAfter, expiresAt } = fleetOutputs(fleet);
