import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { canRequireModules, requireNode } from "../../../../provider/adapters/session/nodeVersion.ts";

test.each(["18.20.8", "20.19.4", "21.99.0", "22.11.0"])("Node.js %s is refused in one line", (version) => {
  const expected = `pulumi-docs-hosting needs Node.js 22.12 or later; this is v${version}`;
  expect(() => requireNode(version, true)).toThrow(
    expect.objectContaining({ message: expected, stack: expected }),
  );
});

test.each(["22.12.0", "22.20.1", "23.0.0", "24.1.0", "100.0.0-nightly"])(
  "Node.js %s is accepted",
  (version) => {
    expect(() => requireNode(version, true)).not.toThrow();
  },
);

test("one that cannot require ES modules by its options is refused, too", () => {
  expect(() => requireNode("24.1.0", false)).toThrow(
    "needs Node.js 22.12 or later; this is v24.1.0 with --no-experimental-require-module",
  );
});

test.each([
  [[], true],
  [["--no-experimental-require-module"], false],
  [["--enable-source-maps", "--no-require-module"], false],
  [["--no-experimental-require-module", "--experimental-require-module"], true],
])("with the options %j, ES modules can be required: %s", (options, expected) => {
  expect(canRequireModules(options)).toBe(expected);
});

test.each(["provider/dynamic.ts", "sdk/index.ts", "sdk/kubernetes/index.ts"])(
  "%s checks the version before anything else, and package.json names the same one",
  (entry) => {
    const read = (path: string): string =>
      readFileSync(new URL(`../../../../${path}`, import.meta.url), "utf8");
    expect(/^(?:import|export).*$/m.exec(read(entry))?.[0]).toMatch(
      /^import "[./a-z]*session\/nodeVersion";/,
    );
    expect(read("package.json")).toContain('"node": ">=22.12"');
  },
);
