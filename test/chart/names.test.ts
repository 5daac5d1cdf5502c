import { describe, expect, test } from "vitest";
import { KUBERNETES_VERSION } from "../programs/goPrograms.ts";
import { problemsIn } from "./kubernetesValidation.ts";
import { CHART, helm, manifestsIn, only, serving, type Values } from "./renderedChart.ts";

async function nameOf(release: string, values: Values = {}): Promise<string> {
  const ingress = { enabled: true, hosts: ["docs.example.com"] };
  const args = ["template", release, CHART, "--kube-version", KUBERNETES_VERSION];
  const { code, stdout, output } = await helm(args, serving({ ingress, ...values }));
  expect(code, output).toBe(0);
  expect(await problemsIn(stdout), release).toEqual([]);
  return only(manifestsIn(stdout), "Deployment").metadata.name;
}

describe.concurrent("a release", () => {
  test.each([
    ["docs", "docs-docs-server"],
    ["docs-server", "docs-server"],
    ["a", "a-docs-server"],
    ["a".repeat(53), "a".repeat(50)],
    [`${"a".repeat(49)}-bcd`, "a".repeat(49)],
  ])("that could be installed before keeps its name: %s", async (release, name) => {
    expect(await nameOf(release)).toBe(name);
  });

  test.each([
    ["docs.example.com", "docs-example-com-docs-server"],
    ["1docs", "docs-1docs-docs-server"],
    ["2026.docs-server", "docs-2026-docs-server"],
    [`${"a".repeat(48)}--bc`, "a".repeat(48)],
    [`${"a".repeat(49)}.bc`, "a".repeat(49)],
    ["1".repeat(53), `docs-${"1".repeat(45)}`],
  ])("of every name that Helm accepts gets valid names: %s", async (release, name) => {
    expect(await nameOf(release)).toBe(name);
  });

  test("may have names of the user that begin with a digit, or are too long", async () => {
    expect(await nameOf("docs", { fullnameOverride: "9docs" })).toBe("docs-9docs");
    expect(await nameOf("docs", { nameOverride: `${"n".repeat(62)}--n` })).toBe(`docs-${"n".repeat(45)}`);
  });
});
