import { describe, expect, test } from "vitest";
import { helm, CHART, notes, serving, template, type Values } from "./renderedChart.ts";

const CANARY = "CANARY-5f3a";
const LINK = `https://store.example.com/bundle.tar.gz?signature=${CANARY}`;

/** Everything that Helm says about values that it refuses. */
async function refusal(values: Values): Promise<string> {
  const { code, output } = await template(values);
  expect(code).not.toBe(0);
  // lint only warns of what templates refuse
  const linted = await helm(["lint", "--strict", CHART], values);
  expect(linted.output).not.toContain(CANARY);
  return output;
}

describe("a link that cannot be right is refused with a text that does not hold it:", () => {
  test.each<[string, unknown, string]>([
    ["missing", "", "staticExport.enabled is true, so staticExport.bundleUrl is needed"],
    ["null", null, "staticExport.bundleUrl must be a string"],
    ["a number", 7, "staticExport.bundleUrl must be a string"],
    ["a list", [LINK], "staticExport.bundleUrl must be a string"],
    ["an object", { url: LINK }, "staticExport.bundleUrl must be a string"],
    ["true", true, "staticExport.bundleUrl must be a string"],
    ["another protocol", LINK.replace("https", "ftp"), "staticExport.bundleUrl must be an https: URL"],
    ["a file", `file:///${CANARY}`, "staticExport.bundleUrl must be an https: URL"],
    ["relative", `/bundle?${CANARY}`, "staticExport.bundleUrl must be an https: URL"],
    ["a URL that no parser takes", `:%zz//[${CANARY}`, "staticExport.bundleUrl must be an https: URL"],
    ["http:", LINK.replace("https", "HTTP"), "set fetch.allowHttp to true"],
    ["with a space", `${LINK} `, "holds a space, a line break or a control character"],
    ["with a line break", `${LINK}\nx: y`, "holds a space, a line break or a control character"],
    ["with a password", `https://user:${CANARY}@a/`, "holds a user name or password"],
  ])("%s", async (_, bundleUrl, expected) => {
    const output = await refusal(serving({}, { bundleUrl }));
    expect(output).toContain(expected);
    expect(output).not.toContain(CANARY);
  });
});

describe("no rule that is broken beside the link prints it:", () => {
  const ALL_AT_ONCE = {
    staticExport: { bundleUrl: LINK, enabled: "yes", version: 7, more: 1 },
    replicas: "two",
    image: { pullPolicy: "Sometimes" },
    more: true,
  };
  test.each<[string, Values, string]>([
    [
      "an unknown value beside it",
      serving({}, { bundleUrl: LINK, bundelUrl: LINK }),
      "additional properties 'bundelUrl' not allowed",
    ],
    [
      "enabled is no boolean",
      serving({}, { bundleUrl: LINK, enabled: "yes" }),
      "at '/staticExport/enabled': got string, want boolean",
    ],
    [
      "the version is a number",
      serving({}, { bundleUrl: LINK, version: 7 }),
      "at '/staticExport/version': got number, want string",
    ],
    [
      "the link where its group should be",
      { staticExport: LINK },
      "at '/staticExport': got string, want object",
    ],
    [
      "the group as a list",
      { staticExport: [{ bundleUrl: LINK }] },
      "at '/staticExport': got array, want object",
    ],
    [
      "an unknown group",
      { ...serving({}, { bundleUrl: LINK }), static: { bundleUrl: LINK } },
      "additional properties 'static' not allowed",
    ],
    [
      "a feature that is no boolean",
      serving({ features: { search: "yes" } }, { bundleUrl: LINK }),
      "at '/features/search': got string, want boolean",
    ],
    [
      "an Ingress without a host",
      serving({ ingress: { enabled: true } }, { bundleUrl: LINK }),
      "ingress.hosts must name at least one host",
    ],
    ["much at once", ALL_AT_ONCE, "at '/replicas': got string, want integer"],
  ])("%s", async (_, values, expected) => {
    const output = await refusal(values);
    expect(output).toContain(expected);
    expect(output).not.toContain(CANARY);
  });
});

describe("a value that would break nginx's configuration is refused:", () => {
  test.each<[string, Values]>([
    ["a quote in the policy", { contentSecurityPolicy: `a"; return 200 "b` }],
    ["a variable in the policy", { contentSecurityPolicy: "a $request_uri" }],
    ["a line break in a header", { headers: { "X-More": "a\nb" } }],
    ["a quote in a header", { headers: { "X-More": `a" b` } }],
    ["no header's name", { headers: { "X More": "a" } }],
    ["another policy beside the policy", { headers: { "Content-Security-Policy": "a" } }],
    ["a quote in the pattern", { immutablePattern: `a" b` }],
  ])("%s", async (_, web) => {
    expect(await refusal({ web })).toMatch(/at '\/web\/|web\.headers: «/);
  });
});

describe("the notes", () => {
  test("say how to open the pages and how to find a pod's reason, and never the link", async () => {
    const text = await notes(serving({}, { bundleUrl: LINK, version: "2030-01" }));
    expect(text).toContain("serves version «2030-01»");
    expect(text).toContain("kubectl --namespace default port-forward service/docs-docs-server 8080:80");
    expect(text).toMatch(
      /kubectl .* logs --selector app.kubernetes.io\/name=docs-server,app.kubernetes.io\/instance=docs --container fetch/,
    );
    expect(text).toContain("describe pods");
    expect(text).not.toContain(CANARY);
    expect(text).not.toContain("Warning");
  });

  test("name the address of the Ingress", async () => {
    const ingress = { enabled: true, hosts: ["docs.example.com"], tls: [{ secretName: "tls" }] };
    expect(await notes(serving({ ingress }))).toContain("https://docs.example.com/");
  });

  test("warn of what will disappoint later", async () => {
    expect(await notes(serving({}, { version: "" }))).toContain("staticExport.version is not set");
    const cache = { enabled: true, accessModes: ["ReadWriteOnce"] };
    expect(await notes(serving({ cache }))).toContain("which only one node can mount".slice(6));
    expect(await notes(serving({ cache, replicas: 1 }))).not.toContain("Warning");
  });

  test("say when nothing is served", async () => {
    expect(await notes({})).toContain("a page that says that staticExport.enabled is false");
  });
});
