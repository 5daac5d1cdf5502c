import { readFileSync } from "node:fs";
import * as pulumi from "@pulumi/pulumi";
import type { StaticExportArgs } from "pulumi-docs-hosting";

/** The most sites that a stack can have: what a run writes grows with the square of their number, see README.md. */
export const MOST_SITES = 100;

/** Also the name of a Helm release. */
const SITE_NAME = /^[a-z0-9]([-a-z0-9]{0,51}[a-z0-9])?$/;

/** A site, as its file has it: arguments of StaticExport, as plain values. */
export type Site = StaticExportArgs & { domain: string };

/**
 * Reads the sites of a stack, by name.
 *
 * @param file path of a JSON file `{ "sites": { "NAME": { "domain": "docs.example.com", … }, … } }`
 * @throws pulumi.RunError when the file is missing, has no sites, too many of them, or another shape: a program that continued
 *   without some sites would delete them
 */
export function readSites(file: string): Record<string, Site> {
  try {
    const text = readFileSync(file, "utf8");
    const list: unknown = JSON.parse(text);
    const problem = problemOf(list) ?? repeatedName(text);
    if (problem !== undefined) throw new Error(problem);
    return (list as { sites: Record<string, Site> }).sites;
  } catch (error) {
    const { message } = error as Error;
    throw new pulumi.RunError(
      `The list of sites, ${file}: ${message}. This run ends before any request; no site was changed or deleted.`,
    );
  }
}

/** What is wrong with a list, in a message for the author of the file. */
function problemOf(list: unknown): string | undefined {
  if (!isObject(list) || !isObject(list["sites"]) || Object.keys(list).length > 1) {
    return 'it must be { "sites": { "NAME": { "domain": "docs.example.com" }, … } } and nothing else';
  }
  const sites = Object.entries(list["sites"]);
  if (sites.length === 0) {
    return "it has no sites; if all sites of this stack are to go, run `pulumi destroy`";
  }
  if (sites.length > MOST_SITES) {
    return `it has ${sites.length} sites, and a stack ${MOST_SITES} at most; put the others into a file of their own`;
  }
  for (const [name, site] of sites) {
    if (!SITE_NAME.test(name)) {
      return `"${name}" is no name of a site: at most 53 of a-z, 0-9 and "-", which is neither first nor last`;
    }
    if (!isObject(site) || typeof site["domain"] !== "string") {
      return `"${name}" has no domain; it must be like { "domain": "docs.example.com" }`;
    }
  }
  return undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Where a name occurs twice, `JSON.parse` takes the last one silently. */
function repeatedName(json: string): string | undefined {
  const open: Set<string>[] = [];
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"(?:\s*:)?|[{}]/g)) {
    if (token === "{") open.push(new Set());
    else if (token === "}") open.pop();
    else if (token.endsWith(":")) {
      const name = JSON.parse(token.slice(0, -1)) as string;
      if (open.at(-1)?.has(name)) return `"${name}" is there twice`;
      open.at(-1)?.add(name);
    }
  }
  return undefined;
}
