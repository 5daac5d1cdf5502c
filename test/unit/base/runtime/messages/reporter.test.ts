import { expect, test } from "vitest";
import { NotReadyError, ResponseError } from "../../../../../provider/base/runtime/messages/errors.ts";
import { warningOnce, withoutSecrets } from "../../../../../provider/base/runtime/messages/reporter.ts";
import { Secrets } from "../../../../../provider/base/runtime/messages/secrets.ts";
import { recordingReporter } from "../../../../simulation/recordingReporter.ts";

test("each warning is logged once, everything else each time", () => {
  const recorder = recordingReporter();
  const once = warningOnce(recorder);
  for (const line of ["one", "two", "one", "two", "two"]) {
    once.warn(line);
    once.info(line);
    expect(recorder.lines.warn).toContain(line);
  }
  expect(recorder.lines.warn).toEqual(["one", "two"]);
  expect(recorder.lines.info).toEqual(["one", "two", "one", "two", "two"]);
});

test("no kind of line has a secret", () => {
  const secrets = new Secrets();
  secrets.add("c4n4ry");
  const { lines, ...recorder } = recordingReporter();
  const debugged: string[] = [];
  const silent = withoutSecrets({ ...recorder, debug: (line) => debugged.push(line) }, secrets);
  for (const kind of ["progress", "debug", "info", "warn"] as const) silent[kind](`${kind} c4n4ry`);
  expect({ ...lines, debug: debugged }).toEqual({
    progress: ["progress [removed]"],
    debug: ["debug [removed]"],
    info: ["info [removed]"],
    warn: ["warn [removed]"],
  });
});

test("an error has the name of its class, what happened, and what to do", () => {
  const error = new NotReadyError("the job still runs", "Wait.", { status: 409 });
  expect(error).toMatchObject({
    name: "NotReadyError",
    message: "the job still runs",
    remedy: "Wait.",
    status: 409,
    requestId: "",
  });
  expect(error).toBeInstanceOf(ResponseError);
});
