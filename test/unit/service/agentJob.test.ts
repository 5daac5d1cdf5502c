import { expect, test } from "vitest";
import { Secrets } from "../../../provider/base/runtime/messages/secrets.ts";
import { missingFields, readAgentJob } from "../../../provider/service/agentJob.ts";
import { COMPLETED_JOB } from "../../simulation/agentJobReply.ts";

const BODY = {
  ...COMPLETED_JOB,
  createdAt: "2026-03-01T10:00:00.250Z",
  archivedAt: "2026-03-02T10:00:00+01:00",
};
const KEY = "svc_c4n4ry";
const secrets = new Secrets();
secrets.add(KEY);
const readReply = (body: Record<string, unknown>): ReturnType<typeof readAgentJob> =>
  readAgentJob("a1", { endpoint: "GET https://x/job", body, dateMs: 0, secrets });
const read = (changes: Record<string, unknown> = {}): unknown => readReply({ ...BODY, ...changes }).job;

test("every field is read as the service wrote it, and no other", () => {
  expect(read({ cost: 7 })).toEqual(BODY);
});

test("a status is read in lower case without white space, also an unknown one", () => {
  expect(read({ status: " Completed " })).toMatchObject({ status: "completed" });
  expect(read({ status: "PAUSED" })).toMatchObject({ status: "paused" });
});

test("a nullable field is null, also when it is missing", () => {
  const { prLink, archivedAt, ...rest } = BODY;
  const none = { prLink: null, archivedAt: null, source: { ...BODY.source, ref: null } };
  expect(read(none)).toEqual({ ...BODY, ...none });
  expect(readReply({ ...rest, source: { repository: BODY.source.repository } })).toEqual({
    job: { ...BODY, ...none },
    missing: [],
  });
  expect([prLink, archivedAt]).not.toContain(null);
});

test.each([
  ["id", { id: 1 }],
  ["id", { id: null }],
  ["status", { status: "" }],
  ["status", { status: null }],
  ["status", { status: 3 }],
  ["source", { source: "https://git.example.com/docs/site" }],
  ["source.ref", { source: { ...BODY.source, ref: 4 } }],
  ["source.repository", { source: { repository: "javascript:alert(1)" } }],
  ["source.repository", { source: { repository: "https://good\\@evil.example/" } }],
  ["source.repository", { source: { repository: "\u0000" } }],
  ["model", { model: {} }],
  ["model", { model: "" }],
  ["prLink", { prLink: 4 }],
  ["prLink", { prLink: "" }],
  ["prLink", { prLink: "pull request 4" }],
  ["prLink", { prLink: "javascript:alert(1)" }],
  ["prLink", { prLink: "data:text/html,x" }],
  ["prLink", { prLink: "ftp://git.example.com/4" }],
  ["prLink", { prLink: "https://git.example.com/4\n" }],
  ["prLink", { prLink: "https://git.example.com/4 5" }],
  ["prLink", { prLink: "https://git.example.com/\u202e4" }],
  ["prLink", { prLink: "https://git.example.com/\ud83d" }],
  ["prLink", { prLink: "https://git.example.com/###vso[x]" }],
  ["prLink", { prLink: "https://me@git.example.com/4" }],
  ["prLink", { prLink: "https://:pass@git.example.com/4" }],
  ["prLink", { prLink: "https://good\\@evil.example/" }],
  ["prLink", { prLink: `https://git.example.com/${"4".repeat(3_000)}` }],
  ["createdAt", { createdAt: 1772359200000 }],
  ["createdAt", { createdAt: "yesterday" }],
  ["createdAt", { createdAt: "2026-03-01" }],
  ["createdAt", { createdAt: `2026-03-01T10:00:00.${"0".repeat(1_000)}Z` }],
  ["createdAt", { createdAt: "2026-13-01T10:00:00Z" }],
  ["archivedAt", { archivedAt: false }],
  ["archivedAt", { archivedAt: "soon" }],
])("a reply with another %s than documented is an error that names it (%j)", (name, changes) => {
  expect(() => read(changes)).toThrow(
    expect.objectContaining({
      name: "MalformedResponseError",
      message: `GET https://x/job answered without a usable "${name}"`,
    }),
  );
});

test("a missing field is empty and named, even if something depends on it", () => {
  const { id, status, source } = BODY;
  const sparse = { id, status, source: { repository: "", ref: null }, model: "", prLink: null };
  expect(readReply({ id, status })).toEqual({
    job: { ...sparse, createdAt: "", archivedAt: null },
    missing: ["source", "model", "createdAt"],
  });
  expect(readReply({ ...BODY, source: { ref: source.ref }, model: null })).toEqual({
    job: { ...BODY, source: { repository: "", ref: source.ref }, model: "" },
    missing: ["source.repository", "model"],
  });
  expect(missingFields({ projectId: "p1", jobId: "a1" }, ["source", "model"])).toBe(
    "agent job a1 of project p1: the service does not send source, model: empty in the outputs",
  );
});

test("texts are cut, on one line, without the key, commands or texts that Pulumi takes for unknown", () => {
  expect(read({ model: "😀".repeat(500_000) })).toMatchObject({ model: `${"😀".repeat(500)}…` });
  expect(
    read({
      status: " Completed\u0007",
      model: `model ${KEY} ${Buffer.from(KEY).toString("base64")}`,
      source: { repository: "git@git.example.com:docs/site", ref: "a\u001b[31m\u2028##vso[x]b\ud83d" },
      prLink: `https://git.example.com/4?by=${KEY}`,
    }),
  ).toMatchObject({
    status: "completed",
    model: "model [removed] [removed]",
    source: { repository: "git@git.example.com:docs/site", ref: "a # #vso[x]b\ufffd" },
    prLink: "https://git.example.com/4?by=[removed]",
  });
  const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
  expect(read({ status: UNKNOWN.toUpperCase(), model: ` ${UNKNOWN}` })).toMatchObject({
    status: "[removed]",
    model: "[removed]",
  });
});

test("a reply about another job is an error", () => {
  expect(() => read({ id: "a2" })).toThrow("answered about another job");
});

test("addresses of every kind that a repository or a pull request has are accepted", () => {
  for (const scheme of ["https", "http", "ssh", "git"]) {
    const source = { repository: `${scheme}://git.example.com/docs/site`, ref: null };
    expect(read({ source })).toMatchObject({ source });
  }
  const longest = `http://git.example.com/${"4".repeat(2_048 - 23)}`;
  expect(read({ prLink: longest })).toMatchObject({ prLink: longest });
});
