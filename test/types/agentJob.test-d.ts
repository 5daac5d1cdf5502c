// What a program sees of an agent job, field by field, as the service is described.
import type * as pulumi from "@pulumi/pulumi";
import { expectTypeOf, test } from "vitest";
import type { AgentJob, getAgentJob, getAgentJobOutput, GetAgentJobResult } from "../../sdk/index.ts";

declare const job: AgentJob;
type Status = "active" | "completed" | "archived" | "failed";

test("id is a string, never null", () => {
  expectTypeOf<GetAgentJobResult["id"]>().toEqualTypeOf<string>();
  expectTypeOf(job.id).toEqualTypeOf<pulumi.Output<string>>();
});

test("status is one of four", () => {
  expectTypeOf<GetAgentJobResult["status"]>().toEqualTypeOf<Status>();
  expectTypeOf(job.status).toEqualTypeOf<pulumi.Output<Status>>();
});

test("source is an object with a repository, never null", () => {
  expectTypeOf<GetAgentJobResult["source"]["repository"]>().toEqualTypeOf<string>();
  expectTypeOf(job.source.repository).toEqualTypeOf<pulumi.Output<string>>();
});

test("source.ref is a string or null", () => {
  expectTypeOf<GetAgentJobResult["source"]["ref"]>().toEqualTypeOf<string | null>();
  expectTypeOf(job.source.ref).toEqualTypeOf<pulumi.Output<string | null>>();
});

test("source has no other field", () => {
  expectTypeOf<keyof GetAgentJobResult["source"]>().toEqualTypeOf<"repository" | "ref">();
});

test("model is a string, never null", () => {
  expectTypeOf<GetAgentJobResult["model"]>().toEqualTypeOf<string>();
  expectTypeOf(job.model).toEqualTypeOf<pulumi.Output<string>>();
});

test("prLink is a string or null", () => {
  expectTypeOf<GetAgentJobResult["prLink"]>().toEqualTypeOf<string | null>();
  expectTypeOf(job.prLink).toEqualTypeOf<pulumi.Output<string | null>>();
});

test("createdAt is a string, never null", () => {
  expectTypeOf<GetAgentJobResult["createdAt"]>().toEqualTypeOf<string>();
  expectTypeOf(job.createdAt).toEqualTypeOf<pulumi.Output<string>>();
});

test("archivedAt is a string or null", () => {
  expectTypeOf<GetAgentJobResult["archivedAt"]>().toEqualTypeOf<string | null>();
  expectTypeOf(job.archivedAt).toEqualTypeOf<pulumi.Output<string | null>>();
});

test("there is no other field", () => {
  expectTypeOf<keyof GetAgentJobResult>().toEqualTypeOf<
    "id" | "status" | "source" | "model" | "prLink" | "createdAt" | "archivedAt"
  >();
});

test("one read is a promise, and an output where an argument is one", () => {
  expectTypeOf<typeof getAgentJob>().returns.toEqualTypeOf<Promise<GetAgentJobResult>>();
  expectTypeOf<typeof getAgentJobOutput>().returns.toEqualTypeOf<pulumi.Output<GetAgentJobResult>>();
});

test("both ids are required, the rest is not", () => {
  type Args = ConstructorParameters<typeof AgentJob>[1];
  expectTypeOf<{ projectId: pulumi.Output<string>; id: string }>().toExtend<Args>();
  expectTypeOf<{ projectId: string; id: string; acceptFailed: undefined }>().toExtend<Args>();
  expectTypeOf<{ projectId: string }>().not.toExtend<Args>();
  expectTypeOf<{ id: string }>().not.toExtend<Args>();
  expectTypeOf<{ projectId: string; id: null }>().not.toExtend<Args>();
  expectTypeOf<{ projectId: string; id: string; acceptFailed: string }>().not.toExtend<Args>();
});
