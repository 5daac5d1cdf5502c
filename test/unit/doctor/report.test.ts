import { expect, test } from "vitest";
import { InputError } from "../../../provider/base/runtime/messages/errors.ts";
import { failure, failureOf, ok, warning } from "../../../provider/doctor/finding.ts";
import { jsonReport, textReport } from "../../../provider/doctor/report.ts";

const findings = [
  ok("node", "Node.js 24.0.0"),
  warning("pulumi-cli", "`pulumi` is not on PATH", "Install it."),
  failure("dns", "no address", "Check the host."),
];

test("a report has a line for each check, what to do below it, and a summary", () => {
  expect(textReport({ findings }, "1.2.3")).toBe(
    [
      "pulumi-docs-hosting 1.2.3",
      "",
      "ok       node        Node.js 24.0.0",
      "warning  pulumi-cli  `pulumi` is not on PATH",
      "                     Install it.",
      "failure  dns         no address",
      "                     Check the host.",
      "",
      "1 failed, 1 warning. No job was started.",
      "",
    ].join("\n"),
  );
});

test.each([
  [[ok("node", "x")], "No problem was found."],
  [[failure("a", "x", "y")], "1 failed, 0 warnings."],
  [[warning("a", "x", "y")], "0 failed, 1 warning."],
  [[warning("a", "x", "y"), warning("b", "x", "y")], "0 failed, 2 warnings."],
])("the summary counts failures and warnings: case %#", (given, summary) => {
  expect(textReport({ findings: given }, "1.2.3").split("\n").at(-2)).toBe(`${summary} No job was started.`);
});

test("the summary says whether a job was started, or may have been", () => {
  const lastOf = (more: object): string | undefined =>
    textReport({ findings: [ok("a", "b")], ...more }, "1.2.3")
      .split("\n")
      .at(-2);
  expect(lastOf({ startedJobId: "j1" })).toBe("No problem was found. Job j1 was started.");
  expect(lastOf({ mayHaveStarted: true })).toBe("No problem was found. A job may have been started.");
  expect(lastOf({ mayHaveStarted: false })).toBe("No problem was found. No job was started.");
});

test("a text of others stays one line, and is no command for the terminal", () => {
  const report = textReport({ findings: [failure("a", "x\u001b[2J\ny", "z\nw")] }, "1.2.3");
  expect(report).toContain("failure  a  x\\u{1b}[2J\\u{a}y\n            z\\u{a}w\n");
});

test("programs get the same as JSON; it is ok without a failure", () => {
  const read = (given: Parameters<typeof jsonReport>[0]): unknown => JSON.parse(jsonReport(given, "1.2.3"));
  expect(read({ findings })).toEqual({ version: "1.2.3", ok: false, checks: findings });
  const [healthy, warned] = findings;
  const fine = healthy && warned ? [healthy, warned] : [];
  expect(read({ findings: fine, startedJobId: "j1" })).toEqual({
    version: "1.2.3",
    ok: true,
    startedJobId: "j1",
    checks: fine,
  });
  expect(jsonReport({ findings }, "1.2.3").endsWith("}\n")).toBe(true);
});

test("an error is a failure with its remedy; one of the package itself is to be reported, without secrets", () => {
  expect(failureOf("dns", new InputError("no host", "Give one."))).toEqual(
    failure("dns", "no host", "Give one."),
  );
  expect(failureOf("dns", new TypeError("svc_abc is no key"))).toEqual(
    failure("dns", "internal error (TypeError: [removed] is no key)", "Please report it."),
  );
  expect(failureOf("dns", "svc_abc").message).toBe("internal error (string)");
});
