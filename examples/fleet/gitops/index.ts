import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { BundleCopy, StaticExport, type StaticExportArgs, staticExportValues } from "pulumi-docs-hosting";
import { helmRelease, removeOthers, writeIfChanged } from "./releases";

const config = new pulumi.Config();
const stack = pulumi.getStack();
const file = config.require("sites");
const registry = config.require("registry");
// of this stack alone, so that no two stacks change the same file
const folder = join(config.require("releases"), stack);
const namespace = config.get("namespace") ?? stack.replace(/-[^-]*$/, "");

const { sites } = JSON.parse(readFileSync(file, "utf8")) as { sites?: Record<string, StaticExportArgs> };
const names = Object.keys(sites ?? {});
if (names.length === 0) {
  // continuing without the list would delete all of them
  throw new pulumi.RunError(`${file} has no sites. If all are to go, run \`pulumi destroy\`.`);
}
if (!pulumi.runtime.isDryRun()) removeOthers(folder, names);

const images = Object.entries(sites ?? {}).map(([name, site]) => {
  const docs = new StaticExport(name, site);
  const copy = new BundleCopy(
    name,
    {
      source: docs,
      destination: {
        repository: `${registry}/${namespace}/${name}`,
        base: config.require("base"),
        plainHttp: config.getBoolean("plainHttp"),
      },
      requireSelfContained: config.getBoolean("requireSelfContained") ?? true,
      // the cluster pulls it later: the image of the present release must stay in the registry
      keep: 3,
    },
    { retainOnDelete: true },
  );
  const values = { ...config.getObject<object>("values"), ...staticExportValues(copy) };
  // each site by itself: one that fails keeps its release and does not stop the others
  const written = pulumi.output(values).apply((known) => {
    if (pulumi.runtime.isDryRun()) return;
    writeIfChanged(join(folder, `${name}.yaml`), helmRelease(name, namespace, known));
  });
  return [name, pulumi.all([copy.image, written]).apply(([image]) => image)] as const;
});

// What is released: `repository@sha256:…` by the site's name. It contains no link.
export const released = Object.fromEntries(images);
