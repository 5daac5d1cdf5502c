// What the state has of a Release: its inputs, and what became of it in the cluster.
import { remark, secret, type PropertyMap } from "../propertyValues.ts";
import { resourceNames, type DeployedRelease } from "./deployedRelease.ts";
import { mergeValues } from "./releaseChanges.ts";
import { remarkUnknown, type ReleaseFields } from "./releaseFields.ts";

/** The resource's id. */
export const fullName = ({ namespace, name }: ReleaseFields): string =>
  namespace ? `${namespace}/${name}` : name;

/** The inputs are kept a second time, among the outputs, for the next diff. */
export const checkpointedInputs = (outputs: PropertyMap): PropertyMap | undefined =>
  outputs["__inputs"] === undefined
    ? undefined
    : ((outputs["__inputs"] as PropertyMap)["value"] as PropertyMap);

export function checkpoint(
  inputs: PropertyMap,
  release: ReleaseFields,
  deployed: DeployedRelease,
): PropertyMap {
  const { name, namespace, revision, status, chart } = deployed;
  const outputs: PropertyMap = {
    ...(release as unknown as PropertyMap),
    values: mergeValues(release.values, deployed.values),
    version: chart.version,
    resourceNames: resourceNames(deployed.manifest),
    status: {
      appVersion: chart.appVersion,
      chart: chart.name,
      name,
      namespace,
      revision,
      status,
      version: chart.version,
    },
  };
  return { ...remark(remarkUnknown(outputs, inputs), inputs), __inputs: secret(inputs) };
}
