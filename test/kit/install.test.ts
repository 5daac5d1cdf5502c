import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, type TestContext } from "vitest";
import { writeKit, type Kit } from "./kitFolder.ts";
import { Operator, scratchFolder, SYSTEMS, type Ended, type RunOptions } from "./systems.ts";
import { shortened } from "../suites.ts";

/** Records its arguments, a line each, and the first file of values; exits with HELM_ENDS. */
const HELM = `#!/bin/sh
printf '%s\\n' "$@" >"$RECORD/arguments"
while [ "$1" != --values ]; do shift; done
cat "$2" >"$RECORD/values.yaml"
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
