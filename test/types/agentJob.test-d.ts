// The types of an agent job in a program, field by field, by the API description.
import type * as pulumi from "@pulumi/pulumi";
import { expectTypeOf, test } from "vitest";
import type { AgentJob, getAgentJob, getAgentJobOutput, GetAgentJobResult } from "../../sdk/index.ts";

declare const job: AgentJob;

test("a lookup has these fields and no other, and only three of them may be null", () => {
  type Result = { -readonly [Name in keyof GetAgentJobResult]: GetAgentJobResult[Name] };
  type Source = { -readonly [Name in keyof Result["source"]]: Result["source"][Name] };
  expectTypeOf<Source>().toEqualTypeOf<{ repository: string; ref: string | null }>();
  expectTypeOf<Omit<Result, "source">>().toEqualTypeOf<{
    id: string;
    status: "active" | "completed" | "archived" | "failed";
    model: string;
    prLink: string | null;
    createdAt: string;
    archivedAt: string | null;
  }>();
});

test("a resource has the same as outputs", () => {
  type Outputs = { [Name in keyof GetAgentJobResult]: pulumi.Output<GetAgentJobResult[Name]> };
  expectTypeOf<Pick<AgentJob, keyof GetAgentJobResult>>().toExtend<Outputs>();
  expectTypeOf<Outputs>().toExtend<Pick<AgentJob, keyof GetAgentJobResult>>();
  expectTypeOf(job.source.repository).toEqualTypeOf<pulumi.Output<string>>();
  expectTypeOf(job.source.ref).toEqualTypeOf<pulumi.Output<string | null>>();
});

test("one read is a promise, and an output where an argument is one", () => {
  expectTypeOf<typeof getAgentJob>().returns.toEqualTypeOf<Promise<GetAgentJobResult>>();
  expectTypeOf<typeof getAgentJobOutput>().returns.toEqualTypeOf<pulumi.Output<GetAgentJobResult>>();
});

test("both ids are required, the rest is optional", () => {
  type Args = ConstructorParameters<typeof AgentJob>[1];
  expectTypeOf<{ projectId: pulumi.Output<string>; id: string }>().toExtend<Args>();
  expectTypeOf<{ projectId: string; id: string; acceptFailed: undefined }>().toExtend<Args>();
  expectTypeOf<{ projectId: string }>().not.toExtend<Args>();
  expectTypeOf<{ id: string }>().not.toExtend<Args>();
  expectTypeOf<{ projectId: string; id: null }>().not.toExtend<Args>();
  expectTypeOf<{ projectId: string; id: string; acceptFailed: string }>().not.toExtend<Args>();
});
