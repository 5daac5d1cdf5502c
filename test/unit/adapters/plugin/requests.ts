// The requests of an engine, and what it reads from the answers.
import * as rpc from "@pulumi/pulumi/proto/provider_pb.js";
import type { Struct } from "google-protobuf/google/protobuf/struct_pb.js";
import { expect } from "vitest";
import { struct } from "./pluginClient.ts";

export const TYPE = "docs-hosting:index:StaticExport";
export const URN = `urn:pulumi:dev::docs::${TYPE}::docs`;
export const DYNAMIC_URN = "urn:pulumi:dev::docs::pulumi-nodejs:dynamic/docs-hosting:StaticExport::docs";

/** The error of a call, which must fail. */
export const caught = (work: Promise<unknown>): Promise<{ code: number; details: string }> =>
  work.then(
    () => expect.fail("it did not fail"),
    (error: unknown) => error as { code: number; details: string },
  );

export function checkRequest(news: object, olds: object = {}): rpc.CheckRequest {
  const request = new rpc.CheckRequest();
  request.setUrn(URN);
  request.setType(TYPE);
  request.setNews(struct(news));
  request.setOlds(struct(olds));
  return request;
}

export function createRequest(
  properties: object,
  { preview = false, seconds = 0, urn = URN } = {},
): rpc.CreateRequest {
  const request = new rpc.CreateRequest();
  request.setUrn(urn);
  request.setProperties(struct(properties));
  request.setPreview(preview);
  request.setTimeout(seconds);
  return request;
}

export function updateRequest(olds: object, news: object, preview = false): rpc.UpdateRequest {
  const request = new rpc.UpdateRequest();
  request.setUrn(URN);
  request.setId("the-id");
  request.setOlds(struct(olds));
  request.setNews(struct(news));
  request.setPreview(preview);
  return request;
}

export function diffRequest(olds: object, news: object, before: object = {}): rpc.DiffRequest {
  const request = new rpc.DiffRequest();
  request.setUrn(URN);
  request.setId("the-id");
  request.setOlds(struct(olds));
  request.setNews(struct(news));
  request.setOldInputs(struct(before));
  return request;
}

export function readRequest(
  id: string,
  parts: { properties?: object; inputs?: object } = {},
): rpc.ReadRequest {
  const request = new rpc.ReadRequest();
  request.setUrn(URN);
  request.setId(id);
  if (parts.properties) request.setProperties(struct(parts.properties));
  if (parts.inputs) request.setInputs(struct(parts.inputs));
  return request;
}

/** The values of a message, as plain data. */
export const plainOf = (message: Struct | undefined): unknown => message?.toJavaScript();
