// L24: the key and the link's signature are nowhere in plain text.
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { formsOf } from "../simulation/secretForms.ts";
import { buildWorld, CANARY_KEY, onEachEngine, previewIsEmpty, succeeded } from "./world.ts";

/** The text around a match, for the message of a failure. */
function whereIs(text: string, written: string): string {
  const at = written.indexOf(text);
  return at === -1 ? "nowhere" : `after «${written.slice(Math.max(0, at - 200), at)}»`;
}

/** Command lines of every process on this machine, as any user on it could read them. */
function runningCommandLines(): string {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "latin1");
      } catch {
        return ""; // it has just ended
      }
    })
    .join("\n");
}

onEachEngine("secrets", (kind) => {
  test.concurrent(
    "L24 key and link are in no state, backup, line or event, under all faults",
    async (context) => {
      const world = await buildWorld(context, kind, {
        env: { DOCS_HOSTING_ADMIN_API_KEY: undefined },
        secretConfig: { "docs-hosting:adminApiKey": CANARY_KEY },
      });
      const program = (version: string): void =>
        world.program(
          `const docs = new StaticExport("docs", { domain: "docs.example.com", version: "${version}" });
         module.exports = { ...docs, values: staticExportValues(docs) };`,
        );
      program("v1");
      succeeded(await world.stack.preview());
      let commandLines = "";
      const stopLooking = world.service.intercept(() => {
        commandLines += runningCommandLines();
        return undefined;
      });
      const inOwnProcesses = await world.open({ reuseProcesses: false }); // whose command lines are read
      succeeded(await inOwnProcesses.up());
      stopLooking();
      expect(commandLines).toContain(kind.adapter === "native" ? "provider/plugin.js" : "dynamic-provider");
      const link = String((await world.exported()).outputs["bundleUrl"]);
      succeeded(await world.stack.refresh());
      program("v2");
      const error = `sent ${CANARY_KEY}, made ${link}`;
      const undo = world.answerLooks({ body: { status: "failed", error } });
      expect((await world.stack.up()).ok).toBe(false);
      undo();
      world.answerLinks({ status: 400, body: { error: CANARY_KEY } });
      expect((await world.stack.up()).ok).toBe(false);

      const written = (await world.everythingWritten()) + commandLines;
      expect(written).toContain("docs.example.com"); // the search itself works
      const signature = new URL(link).searchParams.get("signature") ?? "";
      expect(signature.length).toBeGreaterThan(16);
      for (const canary of [CANARY_KEY, signature]) {
        for (const form of formsOf(canary)) expect(whereIs(form, written)).toBe("nowhere");
      }
    },
  );

  test.concurrent("I05 secret inputs, the domain among them, work and stay secret", async (context) => {
    const world = await buildWorld(context, kind);
    await world.up(
      `new StaticExport("docs", { domain: pulumi.secret("docs.example.com"), version: pulumi.secret("c4n4ry-version"), triggers: [pulumi.secret("c4n4ry-trigger")] });`,
    );
    const { outputs, secretOutputs } = await world.exported();
    expect(outputs).toMatchObject({ domain: "docs.example.com", status: "completed" });
    expect([...secretOutputs].sort()).toEqual(["bundleUrl", "domain", "triggers", "version"]);
    await previewIsEmpty(world);
    expect(await world.everythingWritten()).not.toContain("c4n4ry-");
  });
});
