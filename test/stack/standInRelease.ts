// A Helm release without a cluster, for programs with a SelfHostedDocs among other resources. On both engines: the program
// replaces the class by one that Pulumi's dynamic-provider process creates.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { World } from "./world.ts";

const KUBERNETES = join(import.meta.dirname, "../../node_modules/@pulumi/kubernetes");

/** The provider of the stand-in, as text: records the operations on the release, and the version of its content. */
const HANDLER = `exports.handler = () => {
  const note = (line, { __log }) => require("fs").appendFileSync(__log, line + "\\n");
  const made = (inputs) => ({ ...inputs, namespace: "default", status: { status: "deployed" } });
  return {
    async create(inputs) {
      note("install " + inputs.values.staticExport.version, inputs);
      return { id: "default/" + inputs.name, outs: made(inputs) };
    },
    async update(id, olds, news) {
      note("upgrade " + news.values.staticExport.version, news);
      return { outs: made(news) };
    },
    async delete(id, properties) {
      note("uninstall", properties);
    },
  };
};`;

/**
 * First lines of a program: its Helm releases are stand-ins from then on.
 *
 * @param log the file of the records, see {@link releaseLogFile}
 */
export function standInRelease(log: string): string {
  return `
    const found = require.resolve(${JSON.stringify(KUBERNETES)});
    class Release extends pulumi.CustomResource {
      constructor(name, args, opts) {
        const made = { namespace: undefined, status: undefined, __provider: ${JSON.stringify(HANDLER)} };
        super("pulumi-nodejs:dynamic/test:Release", name, { name, ...args, ...made, __log: ${JSON.stringify(log)} }, opts);
      }
    }
    require.cache[found] = { id: found, filename: found, loaded: true, exports: { helm: { v3: { Release } } } };
    const kubernetes = require(found);
    const { SelfHostedDocs } = require("pulumi-docs-hosting/kubernetes");`;
}

/** The record file of the releases of a world. */
export const releaseLogFile = ({ programFolder }: Pick<World, "programFolder">): string =>
  join(programFolder, "releases.log");

/** The operations on releases: "install VERSION", "upgrade VERSION", "uninstall". */
export function releaseLog(log: string): string[] {
  return existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : [];
}
