import * as rpc from "@pulumi/pulumi/proto/provider_pb.js";
import { expect, test } from "vitest";
import { UNKNOWN } from "../../../../provider/base/runtime/messages/plainText.ts";
import { secret, struct } from "./pluginClient.ts";
import { caught, plainOf } from "./requests.ts";
import { serveLife } from "./servedLife.ts";

const served = serveLife();
const LINK = "https://store.example.com/bundle.tgz?signature=c4n4ry";
const TRACE = `00-${"a".repeat(32)}-${"b".repeat(16)}-01`;

function invoke(args: object, { preview = false, traceparent = "" } = {}): Promise<rpc.InvokeResponse> {
  const request = new rpc.InvokeRequest();
  request.setTok("docs-hosting:index:installationValues");
  request.setArgs(struct(args));
  request.setPreview(preview);
  return served.client.call("invoke", request, traceparent === "" ? {} : { traceparent });
}

test("a function returns its result, in which a link is a secret, within the caller's trace", async () => {
  const given = { deploymentKind: "client-hosted", bundleUrl: LINK, values: { replicas: 2 } };
  const answer = await invoke(given, { traceparent: TRACE });
  expect(plainOf(answer.getReturn())).toEqual({
    values: { replicas: 2, staticExport: { enabled: true, bundleUrl: secret(LINK) } },
  });
  expect(served.traced).toEqual([TRACE]);
});

test("what was secret in the arguments is secret in the result", async () => {
  const image = `registry.example.com/docs/site@sha256:${"1".repeat(64)}`;
  const answer = await invoke({ deploymentKind: "client-hosted", image: secret(image) });
  expect(plainOf(answer.getReturn())).toEqual({
    values: { staticExport: { enabled: true }, siteImage: secret(image) },
  });
});

test("of unknown arguments the result is unknown", async () => {
  const answer = await invoke({ deploymentKind: UNKNOWN, bundleUrl: LINK });
  expect(plainOf(answer.getReturn())).toEqual({ values: UNKNOWN });
});

test("an error has all problems, and no secret", async () => {
  const error = await caught(invoke({ deploymentKind: "cloud", bundleUrl: secret(LINK), values: 1 }));
  expect(error).toMatchObject({ code: 2 });
  expect(error.details).toBe(
    'installationValues: there is no deploymentKind "cloud"; there are "client-hosted", "air-gapped".\n' +
      "`values` must be an object, such as { replicas: 2 }.",
  );
});
