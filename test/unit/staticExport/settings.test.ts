// Settings that stop an operation before its first request.
import { expect, test } from "vitest";
import { caught, SimulatedExport } from "../../simulation/simulatedExport.ts";

test("settings that no longer allow the stored base URL: refresh and update name the domain, what stays and what to do", async () => {
  const site = new SimulatedExport();
  site.stackConfig["docs-hosting:allowInsecure"] = "true";
  const state = await site.create();
  state.outputs.baseUrl = "http://docs-api.internal";
  site.stackConfig["docs-hosting:allowInsecure"] = "false";
  const { message } = await caught(site.read(state));
  expect(message).toMatch(
    /^docs\.example\.com: .*uses http: .*\. The state is unchanged\. .*allowInsecure true`\.$/,
  );
});

test.for([
  ["GET", 'without a "status", and with the error «quota exceeded»'],
  ["POST", 'without a usable "jobId" (it has only error, and with the error «quota exceeded»)'],
] as const)(
  "a successful reply to %s that has only an error is quoted",
  async ([wanted, text], { expect }) => {
    const site = new SimulatedExport();
    site.service.fault = ({ method }) =>
      method === wanted ? { status: 200, body: { error: "quota exceeded" } } : undefined;
    expect((await caught(site.create())).message).toContain(text);
  },
);

test("a credential among the export options that the service quotes is in no message", async () => {
  const site = new SimulatedExport();
  const exportOptions = { login: { password: "pw-abcdefgh", hosts: ["a.example"] }, theme: "dark-and-light" };
  const error = "cannot log in with pw-abcdefgh, theme dark-and-light";
  site.service.fault = ({ method }) => (method === "POST" ? { status: 400, body: { error } } : undefined);
  const { message } = await caught(site.create({ exportOptions }));
  expect(message).not.toContain("pw-abcdefgh");
  expect(message).toContain("theme dark-and-light");
});
