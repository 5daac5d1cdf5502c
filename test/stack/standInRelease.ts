// A Helm release without a cluster, for programs that have a SelfHostedDocs among other things. On both engines: the
// class is replaced in the program, by one that Pulumi's dynamic-provider process makes.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { World } from "./world.ts";

const KUBERNETES = join(import.meta.dirname, "../../node_modules/@pulumi/kubernetes");

/** The provider of the stand-in, as text: notes what becomes of the release, and which version of the content it has. */
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
 * @param log the file in which they are noted, see {@link releaseLogFile}
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

/** Where the releases of a world are noted. */
export const releaseLogFile = ({ programFolder }: Pick<World, "programFolder">): string =>
  join(programFolder, "releases.log");

/** What was done to releases: "install VERSION", "upgrade VERSION", "uninstall". */
export function releaseLog(log: string): string[] {
  return existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : [];
}
