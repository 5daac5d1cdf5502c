import { expect, test, vi } from "vitest";

const TOLD = `pulumi-docs-hosting needs Node.js 22.12 or later; this is ${process.version}`;

test("a Node.js that cannot require ES modules is told which one is needed, and no more", async ({
  onTestFinished,
}) => {
  vi.resetModules();
  const able = vi.spyOn(process.features, "require_module", "get").mockReturnValue(false);
  onTestFinished(() => able.mockRestore());
  await expect(import("../../../provider/door/nodeVersion.ts")).rejects.toMatchObject({
    message: TOLD,
    stack: TOLD,
  });
});

test("one that can is told nothing", async () => {
  vi.resetModules();
  await import("../../../provider/door/nodeVersion.ts");
});
