// What a release keeps for pods of earlier revisions if its deployer may not list ReplicaSets.
import { expect, test, type TestContext } from "vitest";
import { standInForCluster, type StoredObject } from "./clusterStandIn.ts";
import {
  type Manifest,
  only,
  podTemplate,
  render,
  serving,
  servingImage,
  template,
} from "./renderedChart.ts";

const withoutLookup = (version: string) => serving({ lookupReplicaSets: false }, { version });
const idOf = (manifests: readonly Manifest[]) =>
  podTemplate(manifests).metadata.annotations?.["docs-server/content"] ?? "";
const linksIn = (manifests: readonly Manifest[]) =>
  Object.keys(only(manifests, "Secret").data).filter((key) => !key.endsWith(".previous"));

/** The cluster after a release, of a deployer who may not list ReplicaSets. */
function after(context: TestContext, manifests: readonly Manifest[]): Promise<string[]> {
  const objects = manifests.filter(({ kind }) => kind === "Secret" || kind === "ConfigMap");
  return standInForCluster(context, objects as unknown as StoredObject[], "ReplicaSet");
}

test("a deployer who may not list ReplicaSets is told so by Helm, and needs only the value for it", async (context) => {
  const cluster = await after(context, await render(serving()));
  const { code, output } = await template(serving(), ...cluster);
  expect(code).not.toBe(0);
  expect(output).toMatch(/error calling lookup/);
  expect((await template(withoutLookup("v1"), ...cluster)).code).toBe(0);
});

test("the links and files of the last releases stay, the newest first, and each knows the one before", async (context) => {
  const ids: string[] = [];
  let released = await render(withoutLookup("v1"));
  ids.unshift(idOf(released));
  for (const version of ["v2", "v3", "v4", "v5"]) {
    released = await render(withoutLookup(version), ...(await after(context, released)));
    const { data, metadata } = only(released, "Secret");
    expect(Buffer.from(data[`${idOf(released)}.previous`] ?? "", "base64").toString()).toBe(ids[0]);
    ids.unshift(idOf(released));
    expect(metadata.annotations?.["docs-server/kept"]).toBe(ids.slice(0, 4).join(","));
    expect(linksIn(released).sort()).toEqual(ids.slice(0, 4).sort());
  }
  // the same release again, with a renewed link, changes nothing else
  const again = await render(withoutLookup("v5"), ...(await after(context, released)));
  expect(again).toEqual(released);
});

test("what a release kept that listed ReplicaSets stays, and its files, too", async (context) => {
  const before = await render(serving());
  const image = { ...servingImage("siteImage"), lookupReplicaSets: false };
  const released = await render(image, ...(await after(context, before)));
  expect(linksIn(released)).toEqual([idOf(before)]);
  expect(only(released, "ConfigMap").data).toMatchObject(only(before, "ConfigMap").data);
});

test("the link of a site that is in an image now is removed after some releases", async (context) => {
  let released = await render(withoutLookup("v1"));
  for (const digit of ["a", "b", "c", "d"]) {
    const siteImage = `registry.example.com/docs/site@sha256:${digit.repeat(64)}`;
    const values = { ...servingImage("siteImage"), siteImage, lookupReplicaSets: false };
    const kept = released.some(({ kind }) => kind === "Secret");
    expect(kept).toBe(true);
    released = await render(values, ...(await after(context, released)));
  }
  expect(released.map(({ kind }) => kind)).not.toContain("Secret");
});
