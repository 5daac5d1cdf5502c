import { status } from "@grpc/grpc-js";
import { Empty } from "google-protobuf/google/protobuf/empty_pb.js";
import { Struct, Value } from "google-protobuf/google/protobuf/struct_pb.js";
import * as rpc from "@pulumi/pulumi/proto/provider_pb.js";
import { describe, expect, test } from "vitest";
import { caught, checkRequest, createRequest, plainOf, TYPE } from "./requests.ts";
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
  const withoutUrn = createRequest({}, { urn: "" });
  withoutUrn.setType(TYPE);
  const ofToken = (token: string): rpc.InvokeRequest => {
    const request = new rpc.InvokeRequest();
    request.setTok(token);
    return request;
  };

  const { INVALID_ARGUMENT, UNIMPLEMENTED } = status;
  const noUrn = "the call does not name the URN of its resource";

  test.each<[string, () => Promise<unknown>, status, string]>([
    [
      "a value without a kind",
      () => served.client.call("check", withGarbage),
      INVALID_ARGUMENT,
      "a has no value",
    ],
    [
      "a check without anything",
      () => served.client.call("check", new rpc.CheckRequest()),
      INVALID_ARGUMENT,
      'type ""',
    ],
    [
      "a diff without anything",
      () => served.client.call("diff", new rpc.DiffRequest()),
      INVALID_ARGUMENT,
      'type ""',
    ],
    [
      "a create without anything",
      () => served.client.call("create", new rpc.CreateRequest()),
      INVALID_ARGUMENT,
      'type ""',
    ],
    [
      "a read without anything",
      () => served.client.call("read", new rpc.ReadRequest()),
      INVALID_ARGUMENT,
      'type ""',
    ],
    [
      "an update without anything",
      () => served.client.call("update", new rpc.UpdateRequest()),
      INVALID_ARGUMENT,
      'type ""',
    ],
    [
      "a delete without anything",
      () => served.client.call("delete", new rpc.DeleteRequest()),
      INVALID_ARGUMENT,
      'type ""',
    ],
    ["a create without a URN", () => served.client.call("create", withoutUrn), INVALID_ARGUMENT, noUrn],
    [
      "another type",
      () => served.client.call("check", ofType("docs-hosting:index:Castle")),
      INVALID_ARGUMENT,
      'type "docs-hosting:index:Castle"',
    ],
    [
      "a type of every object",
      () => served.client.call("check", ofType("constructor")),
      INVALID_ARGUMENT,
      'type "constructor"',
    ],
    [
      "a function of every object",
      () => served.client.call("invoke", ofToken("constructor")),
      INVALID_ARGUMENT,
      'there is no function "constructor"',
    ],
    [
      "another function",
      () => served.client.call("invoke", ofToken("docs-hosting:index:castle")),
      INVALID_ARGUMENT,
      'there is no function "docs-hosting:index:castle"',
    ],
    [
      "a component",
      () => served.client.call("construct", new rpc.ConstructRequest()),
      UNIMPLEMENTED,
      "construct",
    ],
    [
      "a method of a resource",
      () => served.client.call("call", new rpc.CallRequest()),
      UNIMPLEMENTED,
      "call",
    ],
    [
      "parameters",
      () => served.client.call("parameterize", new rpc.ParameterizeRequest()),
      UNIMPLEMENTED,
      "parameterize",
    ],
  ])("%s", async (_what, call, code, details) => {
    const error = await caught(call());
    expect(error.code).toBe(code);
    expect(error.details.toLowerCase()).toContain(details.toLowerCase());
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
