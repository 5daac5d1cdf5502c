import { status } from "@grpc/grpc-js";
import * as rpc from "@pulumi/pulumi/proto/provider_pb.js";
import { Empty } from "google-protobuf/google/protobuf/empty_pb.js";
import { Struct, Value } from "google-protobuf/google/protobuf/struct_pb.js";
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
  const NO_TYPE = 'type ""';
  const CASTLE = "docs-hosting:index:castle";
  const noUrn = "the call does not name the URN of its resource";

  type Call = Parameters<typeof served.client.call>;
  test.each<[string, Call[0], Call[1], status, string]>([
    ["a value without a kind", "check", withGarbage, INVALID_ARGUMENT, "a has no value"],
    ["a check without anything", "check", new rpc.CheckRequest(), INVALID_ARGUMENT, NO_TYPE],
    ["a diff without anything", "diff", new rpc.DiffRequest(), INVALID_ARGUMENT, NO_TYPE],
    ["a create without anything", "create", new rpc.CreateRequest(), INVALID_ARGUMENT, NO_TYPE],
    ["a read without anything", "read", new rpc.ReadRequest(), INVALID_ARGUMENT, NO_TYPE],
    ["an update without anything", "update", new rpc.UpdateRequest(), INVALID_ARGUMENT, NO_TYPE],
    ["a delete without anything", "delete", new rpc.DeleteRequest(), INVALID_ARGUMENT, NO_TYPE],
    ["a create without a URN", "create", withoutUrn, INVALID_ARGUMENT, noUrn],
    ["another type", "check", ofType(CASTLE), INVALID_ARGUMENT, `type "${CASTLE}"`],
    ["a type of every object", "check", ofType("constructor"), INVALID_ARGUMENT, 'type "constructor"'],
    [
      "a function of every object",
      "invoke",
      ofToken("constructor"),
      INVALID_ARGUMENT,
      'no function "constructor"',
    ],
    ["another function", "invoke", ofToken(CASTLE), INVALID_ARGUMENT, `there is no function "${CASTLE}"`],
    ["a component", "construct", new rpc.ConstructRequest(), UNIMPLEMENTED, "construct"],
    ["a method of a resource", "call", new rpc.CallRequest(), UNIMPLEMENTED, "call"],
    ["parameters", "parameterize", new rpc.ParameterizeRequest(), UNIMPLEMENTED, "parameterize"],
  ])("%s", async (_what, method, request, code, details) => {
    const error = await caught(served.client.call(method, request));
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
