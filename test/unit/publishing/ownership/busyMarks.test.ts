// Marks of folders that the system does not show now: no reason to give the folder up.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type * as promises from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { draftingDestination } from "../../../simulation/draftingDestination.ts";
import { OWNER } from "../../../simulation/owners.ts";
import { as, operation, publish, root, withPlaces } from "./ownedPlaces.ts";

/** What the system answers for a file of marks. */
let answer: { readonly code: string; readonly name: string } | undefined;
vi.mock("node:fs/promises", async (original) => {
  const real = await original<typeof promises>();
  const open: typeof real.open = (path, ...more) =>
    answer !== undefined && String(path).endsWith(answer.name)
      ? Promise.reject(Object.assign(new Error(answer.code), { code: answer.code }))
      : real.open(path, ...more);
  return { ...real, open };
});
afterEach(() => {
  answer = undefined;
});

withPlaces();

const place = () => draftingDestination({ folder: join(root, "public") });
const names = (): string[] => readdirSync(join(root, "public")).sort();
const BUSY = ["EMFILE", "ENFILE", "EIO", "ESTALE", "EBUSY"];

test.for(BUSY)(
  "a destroy that cannot read the mark now (%s) fails, and the next one removes",
  async (code) => {
    const copy = await publish(place(), "v1", as());
    const before = names();
    answer = { code, name: "owner.json" };
    await expect(place().release([copy], as())).rejects.toThrow(code);
    expect(names()).toEqual(before);
    expect(operation.reporter.lines.warn).toEqual([]);
    answer = undefined;
    await place().release([copy], as());
    expect(names()).toEqual([]);
  },
);

test("an update that cannot read the mark now fails, and changes nothing", async () => {
  await publish(place(), "v1", as());
  const before = names();
  answer = { code: "EIO", name: "owner.json" };
  await expect(publish(place(), "v2", as())).rejects.toThrow("EIO");
  expect(names()).toEqual(before);
});

test("an earlier mark that cannot be read now is nobody else's", async () => {
  const copy = await publish(place(), "v1", as());
  const records = join(root, "public/.docs-hosting");
  mkdirSync(join(records, "item"));
  // another ID of the same resource, which only its text says
  const mark = readFileSync(join(records, "owner.json"), "utf8").replace(OWNER.id, "f".repeat(32));
  writeFileSync(join(records, `item/${"f".repeat(32)}.json`), mark);
  rmSync(join(records, "owner.json"));
  answer = { code: "EIO", name: `${"f".repeat(32)}.json` };
  await expect(place().release([copy], as())).rejects.toThrow("EIO");
  answer = undefined;
  await place().release([copy], as());
  expect(names()).toEqual([]);
});

test.for(["EACCES", "EPERM"])(
  "a mark that the system refuses to show (%s) ends a destroy with a warning",
  async (code) => {
    const copy = await publish(place(), "v1", as());
    answer = { code, name: "owner.json" };
    await place().release([copy], as());
    expect(operation.reporter.lines.warn).toEqual([expect.stringContaining(`permission denied (${code})`)]);
  },
);
