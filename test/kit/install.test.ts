import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, type TestContext } from "vitest";
import { shortened } from "../suites.ts";
import { type Kit, writeKit } from "./kitFolder.ts";
import { type Ended, Operator, type RunOptions, scratchFolder, SYSTEMS } from "./systems.ts";

/** Records its arguments, a line each, and the first file of values; says HELM_SAYS on standard error, and exits with HELM_ENDS. */
const HELM = `#!/bin/sh
printf '%s\\n' "$@" >"$RECORD/arguments"
while [ "$1" != --values ]; do shift; done
cat "$2" >"$RECORD/values.yaml"
[ -z "\${HELM_SAYS-}" ] || printf '%s\\n' "$HELM_SAYS" >&2
exit "\${HELM_ENDS:-0}"
`;

describe.each(shortened(SYSTEMS))("install.sh with %s", (system) => {
  interface Run extends Ended {
    /** helm's input; none when it was not called. */
    readonly helm: { args: string[]; values: string } | undefined;
    readonly temporary: string;
  }

  /** Runs it with a stand-in for helm that records its input. */
  async function install(
    context: TestContext,
    kit: Kit,
    args: readonly string[],
    { env, ...options }: RunOptions = {},
  ): Promise<Run> {
    const record = scratchFolder(context);
    const temporary = scratchFolder(context);
    const file = join(scratchFolder(context), "helm");
    writeFileSync(file, HELM);
    chmodSync(file, 0o755);
    const operator = new Operator(context, system, { helm: file });
    const ended = await operator.run(join(kit.folder, "install.sh"), args, {
      ...options,
      env: { RECORD: record, TMPDIR: temporary, ...env },
    });
    if (!existsSync(join(record, "arguments"))) return { ...ended, temporary, helm: undefined };
    const [lines = "", values = ""] = ["arguments", "values.yaml"].map((name) =>
      readFileSync(join(record, name), "utf8"),
    );
    return { ...ended, temporary, helm: { args: lines.trimEnd().split("\n"), values } };
  }

  test("helm gets the chart, the kit's values with the registry inserted, and then the user's arguments", async (context) => {
    const kit = newKit(context);
    const cwd = scratchFolder(context);
    for (let time = 1; time <= 2; time++) {
      const { code, lines, helm, temporary } = await install(
        context,
        kit,
        ["registry.internal:5000/docs/", "--namespace", "web", "--values", "my own.yaml"],
        { cwd },
      );
      expect(code).toBe(0);
      expect(lines).toEqual(["OK: the release docs serves the site of this kit."]);
      const [values = ""] = helm?.args.filter((arg) => arg.startsWith(temporary)) ?? [];
      expect(helm?.args).toEqual([
        ...[
          "upgrade",
          "--install",
          "docs",
          join(kit.folder, "chart/docs-server-1.2.3.tgz"),
          "--values",
          values,
        ],
        ...["--wait", "--namespace", "web", "--values", "my own.yaml"],
      ]);
      expect(helm?.values).toContain(
        `siteImage: "registry.internal:5000/docs/site@${kit.layout.digests["site:1"] ?? ""}"`,
      );
      expect(helm?.values).toContain('repository: "registry.internal:5000/docs/nginx-unprivileged"');
      expect(helm?.values).not.toContain("registry.invalid");
      expect(existsSync(values)).toBe(false); // it is removed afterwards
    }
  });

  test("the release may have another name", async (context) => {
    const { helm } = await install(context, newKit(context), ["registry.internal"], {
      env: { RELEASE: "manual" },
    });
    expect(helm?.args.slice(0, 3)).toEqual(["upgrade", "--install", "manual"]);
    expect(helm?.values).toContain('"registry.internal/site@sha256:');
  });

  test.for([
    [["--namespace", "web"], " --namespace web"],
    [["--namespace=web"], " --namespace web"],
    [["-n", "web"], " --namespace web"],
    [[], ""],
  ] as const)("after helm failed (%j) it says what to check", async ([args, namespace], context) => {
    const { code, lines } = await install(context, newKit(context), ["registry.internal/docs", ...args], {
      env: { HELM_ENDS: "3" },
    });
    expect(code).toBe(1);
    expect(lines).toContain(`  kubectl get pods${namespace}`);
    expect(lines).toContain(`  helm status docs${namespace}`);
    expect(lines.at(-1)).toBe("Then run install.sh again.");
  });

  const UNREACHABLE = "helm cannot talk to the cluster.";
  test.for([
    ['Kubernetes cluster unreachable: Get "https://k:6443/version": context deadline exceeded', UNREACHABLE],
    ['Get "https://k:6443/api": dial tcp 10.0.0.1:6443: connect: connection refused', UNREACHABLE],
    ['Get "https://k:6443/api": tls: failed to verify certificate: x509: unknown authority', UNREACHABLE],
    ['kube config: context "prod" does not exist', UNREACHABLE],
    // as helm 3.22 and 4.3 print them
    ['kubernetes cluster unreachable: context "nope" does not exist', UNREACHABLE],
    ["kubernetes cluster unreachable: stat /nowhere: no such file or directory", UNREACHABLE],
    ["unknown flag: --create-namspace", "An argument for helm is wrong."],
    ['"helm upgrade" requires 2 arguments', "An argument for helm is wrong."],
    ["flag needs an argument: 'n' in -n", "An argument for helm is wrong."],
    ['invalid argument "abc" for "--timeout" flag: time: invalid duration "abc"', "An argument for helm"],
    ["failed to parse bad.yaml: cannot unmarshal yaml document: error converting", "or the file"],
    [
      "UPGRADE FAILED: another operation (install/upgrade/rollback) is in progress",
      "An earlier run was interrupted.",
    ],
    ['UPGRADE FAILED: "docs" has no deployed releases', "Run helm uninstall docs --namespace web"],
    ['create: failed to create: namespaces "web" not found', "Add --create-namespace"],
    ['query: secrets is forbidden: User "u" cannot list resource "secrets" in API group', "may not do what"],
    ["the server has asked for the client to provide credentials", "Log in again"],
    ['pods "docs" is forbidden: exceeded quota: small', "kubectl describe quota --namespace web"],
    ['admission webhook "policy" denied the request: no labels', "A rule of the cluster refuses the objects"],
    [
      'failed calling webhook "policy": Post "https://p": dial tcp: connection refused',
      "A rule of the cluster",
    ],
    [
      'Unable to continue with install: Service "docs" exists: invalid ownership metadata',
      "Choose another name",
    ],
    [
      'no matches for kind "HTTPRoute" in version "v1" ensure CRDs are installed first',
      "does not know a kind",
    ],
    [
      "chart requires kubeVersion: >=1.25.0-0 which is incompatible with Kubernetes v1.24.1",
      "README.md names the versions",
    ],
    [
      "execution error at (docs-server/templates/deployment.yaml:1:4): replicas is null",
      "helm's error names the value",
    ],
    ["values don't meet the specifications of the schema(s)", "helm's error names the value"],
    ["open /tmp/mine.yaml: no such file or directory", "or the file"],
  ] as const)("«%s» is named as what it is, not as a failure of pods", async ([error, remedy], context) => {
    const warning = "W1128 warnings.go:70] would violate PodSecurity: pods are not ready";
    const { code, output, lines } = await install(
      context,
      newKit(context),
      ["registry.internal/docs", "--namespace", "web"],
      { env: { HELM_ENDS: "1", HELM_SAYS: `${warning}\nError: ${error}` } },
    );
    expect(code).toBe(1);
    expect(output).toContain(`Error: ${error}`);
    expect(output).toContain(remedy);
    expect(output).not.toContain("did not become ready");
    expect(lines.at(-1)).toBe("Then run install.sh again.");
  });

  test.for([
    ["UPGRADE FAILED: timed out waiting for the condition"],
    ["UPGRADE FAILED: context deadline exceeded"],
    [
      "UPGRADE FAILED: resource Deployment/web/docs not ready. status: InProgress, message: dial tcp: no such host",
    ],
    ["UPGRADE FAILED: post-upgrade hooks failed: job docs-test failed: BackoffLimitExceeded"],
  ])("«%s» is about pods", async ([error = ""], context) => {
    const { code, output } = await install(context, newKit(context), ["registry.internal/docs"], {
      env: { HELM_ENDS: "1", HELM_SAYS: `Error: ${error}` },
    });
    expect(code).toBe(1);
    expect(output).toContain("The pods did not become ready.");
    expect(output).toContain("ImagePullBackOff");
  });

  test("a failure that it does not know is no failure of pods for certain", async (context) => {
    const { output } = await install(context, newKit(context), ["registry.internal/docs"], {
      env: { HELM_ENDS: "1", HELM_SAYS: "Error: something new" },
    });
    expect(output).toContain("helm failed. Its error is above. If it does not say why, look at the pods.");
    expect(output).not.toContain("did not become ready");
  });

  test.for(["--help", "-x", "Docs", "docs_1", "a..b", "-", "docs-", "a".repeat(54)])(
    "RELEASE=%s is refused before helm is called",
    async (release, context) => {
      const { code, output, helm } = await install(context, newKit(context), ["registry.internal"], {
        env: { RELEASE: release },
      });
      expect([code, helm]).toEqual([1, undefined]);
      expect(output).toMatch(/^RELEASE (?:is no name of a release|has 54 characters)/);
    },
  );

  test.for([
    [["--help"], []],
    [["-h"], []],
    [["--dry-run"], ["Nothing was installed, because of --dry-run."]],
    [["--dry-run=server"], ["Nothing was installed, because of --dry-run."]],
    [
      ["--wait=false"],
      [
        "OK: the release docs is installed. Whether its pods serve the site is not known, because of --wait=false.",
      ],
    ],
    [
      ["--wait=hookOnly"],
      [
        "OK: the release docs is installed. Whether its pods serve the site is not known, because of --wait=hookOnly.",
      ],
    ],
    [["--wait=false", "--wait=watcher"], ["OK: the release docs serves the site of this kit."]],
    [["--set", "--help"], ["OK: the release docs serves the site of this kit."]],
    [["--dry-run=none"], ["OK: the release docs serves the site of this kit."]],
  ] as const)("with %j it says no more than what helm did", async ([args, printed], context) => {
    const { code, lines } = await install(context, newKit(context), ["registry.internal", ...args]);
    expect([code, lines]).toEqual([0, printed]);
  });

  test.for([[[]], [["--namespace"]], [["a|b"]]])(
    "called with %j it prints its usage, and helm is not called",
    async ([args = []], context) => {
      const { code, lines, helm } = await install(context, newKit(context), args);
      expect([code, lines, helm]).toEqual([
        1,
        ["usage: sh install.sh REGISTRY/PATH [arguments for helm]"],
        undefined,
      ]);
    },
  );

  test("without a chart, and without helm, it says so", async (context) => {
    const kit = newKit(context);
    const bare = await new Operator(context, system).run(join(kit.folder, "install.sh"), [
      "registry.internal",
    ]);
    expect(bare).toMatchObject({ code: 1, lines: ["helm is required, but it is not on PATH."] });
    rmSync(join(kit.folder, "chart"), { recursive: true });
    mkdirSync(join(kit.folder, "chart"));
    const empty = await install(context, kit, ["registry.internal"]);
    expect([empty.code, empty.lines[0], empty.helm]).toEqual([
      1,
      expect.stringMatching(/^There is no chart beside install\.sh\./),
      undefined,
    ]);
  });
});

function newKit(context: TestContext): Kit {
  return writeKit(join(scratchFolder(context), "kit"));
}
