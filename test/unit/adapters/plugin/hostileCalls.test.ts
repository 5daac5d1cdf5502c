import { Empty } from "google-protobuf/google/protobuf/empty_pb.js";
import { Struct, Value } from "google-protobuf/google/protobuf/struct_pb.js";
import * as rpc from "@pulumi/pulumi/proto/provider_pb.js";
import { describe, expect, test } from "vitest";
import { caught, checkRequest, plainOf } from "./requests.ts";
import { serveLife } from "./servedLife.ts";

const served = serveLife();

describe("a hostile call is answered with an error, and the process serves on:", () => {
  const garbage = new Struct();
  garbage.getFieldsMap().set("a", new Value());
  const withGarbage = checkRequest({});
  withGarbage.setNews(garbage);
  const ofType = (type: string): rpc.CheckRequest => {
    const request = checkRequest({});
    request.setType(type);
    return request;
  };
  const invoke = new rpc.InvokeRequest();
  invoke.setTok("docs-hosting:index:constructor");

  test.each<[string, () => Promise<unknown>]>([
    ["a value without a kind", () => served.client.call("check", withGarbage)],
    ["a check without anything", () => served.client.call("check", new rpc.CheckRequest())],
    ["a diff without anything", () => served.client.call("diff", new rpc.DiffRequest())],
    ["a create without anything", () => served.client.call("create", new rpc.CreateRequest())],
    ["a read without anything", () => served.client.call("read", new rpc.ReadRequest())],
    ["an update without anything", () => served.client.call("update", new rpc.UpdateRequest())],
    ["a delete without anything", () => served.client.call("delete", new rpc.DeleteRequest())],
    ["another type", () => served.client.call("check", ofType("docs-hosting:index:Castle"))],
    ["a type of every object", () => served.client.call("check", ofType("constructor"))],
    ["a function of every object", () => served.client.call("invoke", invoke)],
    ["a component", () => served.client.call("construct", new rpc.ConstructRequest())],
  ])("%s", async (_what, call) => {
    const error = await caught(call());
    expect(error.code).toBeGreaterThan(0);
    expect(error.details).not.toBe("");
    await served.client.call("getPluginInfo", new Empty());
  });

  test("properties of the wrong types reach the rules of the inputs, not the process", async () => {
    served.life.check = () => {
      throw new TypeError("half \ud83d");
    };
    expect((await caught(served.client.call("check", checkRequest({ name: [] })))).details).toBe(
      "half \ufffd",
    );
  });

  test("a message of more than gRPC takes by default", async () => {
    const answer = await served.client.call("check", checkRequest({ name: "x".repeat(5_000_000) }));
    expect((plainOf(answer.getInputs()) as { name: string }).name).toHaveLength(5_000_000);
  });
});
