import { expect, test } from "vitest";
import { readAgentJob } from "../../provider/agentJob.ts";
import { MalformedResponseError } from "../../provider/errors.ts";

const BODY = {
  id: "a1",
  status: "completed",
  source: { repository: "https://git.example.com/docs/site", ref: "agent/typos" },
  model: "model-7",
  prLink: "https://git.example.com/docs/site/pulls/4",
  createdAt: "2026-03-01T10:00:00.250Z",
  archivedAt: "2026-03-02T10:00:00+01:00",
};
const read = (changes: Record<string, unknown> = {}): unknown =>
  readAgentJob("a1", { endpoint: "GET https://x/job", body: { ...BODY, ...changes }, dateMs: 0 });

test("every field is read as the service wrote it, and no other", () => {
  expect(read({ cost: 7 })).toEqual(BODY);
});

test.each(["active", "completed", "archived", "failed"])("the status %s is one", (status) => {
  expect(read({ status })).toMatchObject({ status });
});

test("a status is read in lower case without white space, also one that is not known", () => {
  expect(read({ status: " Completed " })).toMatchObject({ status: "completed" });
  expect(read({ status: "PAUSED" })).toMatchObject({ status: "paused" });
});

test("what can be null is, also when it is missing", () => {
  const { prLink, archivedAt, ...rest } = BODY;
  const none = { prLink: null, archivedAt: null, source: { ...BODY.source, ref: null } };
  expect(read(none)).toEqual({ ...BODY, ...none });
  expect(
    readAgentJob("a1", {
      endpoint: "",
      body: { ...rest, source: { repository: BODY.source.repository } },
      dateMs: 0,
    }),
  ).toEqual({ ...BODY, ...none });
  expect([prLink, archivedAt]).not.toContain(null);
});

test.each([
  ["id", { id: 1 }],
  ["id", { id: null }],
  ["status", { status: "" }],
  ["status", { status: null }],
  ["status", { status: 3 }],
  ["source", { source: undefined }],
  ["source", { source: "https://git.example.com/docs/site" }],
  ["source", { source: null }],
  ["source.repository", { source: { ref: "main" } }],
  ["source.repository", { source: [] }],
  ["source.ref", { source: { ...BODY.source, ref: 4 } }],
  ["model", { model: {} }],
  ["model", { model: null }],
  ["prLink", { prLink: 4 }],
  ["prLink", { prLink: "" }],
  ["prLink", { prLink: "pull request 4" }],
  ["createdAt", { createdAt: null }],
  ["createdAt", { createdAt: 1772359200000 }],
  ["createdAt", { createdAt: "yesterday" }],
  ["createdAt", { createdAt: "2026-03-01" }],
  ["createdAt", { createdAt: "2026-13-01T10:00:00Z" }],
  ["archivedAt", { archivedAt: false }],
  ["archivedAt", { archivedAt: "soon" }],
])("a reply whose %s is not as promised is an error that names it (%j)", (name, changes) => {
  expect(() => read(changes)).toThrow(MalformedResponseError);
  expect(() => read(changes)).toThrow(`GET https://x/job answered without a usable "${name}"`);
});

test("a reply about another job is an error", () => {
  expect(() => read({ id: "a2" })).toThrow("answered about another job");
});
