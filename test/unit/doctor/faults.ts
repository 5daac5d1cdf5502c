// A fault of a machine that is healthy otherwise. The command must name it and what to do, and must start no job.
import { expect, test, type TestContext } from "vitest";
import type { Finding } from "../../../provider/doctor/finding.ts";
import type { Answer } from "../../faults/scriptedServer.ts";
import { examined, healthyMachine, type Machine } from "./examined.ts";

/** Breaks the machine. @returns the options of the command */
type Break = (machine: Machine, context: TestContext) => Promise<string[] | undefined> | string[] | undefined;

interface Expected {
  readonly check: string;
  readonly status?: Finding["status"];
  readonly message: string | RegExp;
  readonly remedy: string | RegExp;
}

export type Fault = readonly [name: string, breakIt: Break, expected: Expected];

/** The header of a registry that names itself. */
export const OF_REGISTRY = "docker-distribution-api-version: registry/2.0";

/** A server's reply with this status. */
export const replies =
  (status: string, ...headers: string[]): Answer =>
  (socket) =>
    socket.end([`HTTP/1.1 ${status}`, "content-length: 2", ...headers, "", "{}"].join("\r\n"));

/** A test for each fault. */
export function testFaults(faults: readonly Fault[]): void {
  test.for(faults)("%s is named, with what to do", async ([, breakIt, expected], context) => {
    const machine = await healthyMachine();
    const args = (await breakIt(machine, context)) ?? [];
    const result = await examined(machine, ...args);
    const { check, status = "failure", message, remedy } = expected;
    const found = result.findings.find((each) => each.check === check && each.status === status);
    expect(found, JSON.stringify(result.findings, null, 1)).toBeDefined();
    expect(found?.message).toMatch(message);
    expect(found?.remedy ?? "").toMatch(remedy);
    expect(result.exitCode).toBe(status === "failure" ? 1 : 0);
    expect(result.text).toMatch(message);
    const ofService = result.findings
      .map((each) => each.check)
      .filter((each) => each !== "registry" && each !== "bucket");
    expect(new Set(ofService).size).toBe(ofService.length);
    expect(machine.starts()).toBe(0);
  });
}
