// Marks of folders that the system does not show now: no reason to give the folder up.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { draftingDestination } from "../../../simulation/draftingDestination.ts";
import { failFiles } from "../../../simulation/failingFiles.ts";
import { OWNER } from "../../../simulation/owners.ts";
import { as, operation, publish, root, withPlaces } from "./ownedPlaces.ts";

withPlaces();

const place = () => draftingDestination({ folder: join(root, "public") });
const names = (): string[] => readdirSync(join(root, "public")).sort();
/** @param name of a file of marks */
const fail = (name: string, code: string): (() => void) =>
  failFiles("open", (path) => (path.endsWith(name) ? code : undefined));
const BUSY = ["EMFILE", "ENFILE", "EIO", "ESTALE", "EBUSY"];

test.for(BUSY)(
  "a destroy that cannot read the mark now (%s) fails, and the next one removes",
  async (code) => {
    const copy = await publish(place(), "v1", as());
    const before = names();
    const heal = fail("owner.json", code);
    await expect(place().release([copy], as())).rejects.toThrow(code);
    expect(names()).toEqual(before);
    expect(operation.reporter.lines.warn).toEqual([]);
    heal();
    await place().release([copy], as());
    expect(names()).toEqual([]);
  },
);

test("an update that cannot read the mark now fails, and changes nothing", async () => {
  await publish(place(), "v1", as());
  const before = names();
  fail("owner.json", "EIO");
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
  const heal = fail(`${"f".repeat(32)}.json`, "EIO");
  await expect(place().release([copy], as())).rejects.toThrow("EIO");
  heal();
  await place().release([copy], as());
  expect(names()).toEqual([]);
});

test.for(["EACCES", "EPERM"])(
  "a mark that the system refuses to show (%s) ends a destroy with a warning",
  async (code) => {
    const copy = await publish(place(), "v1", as());
    fail("owner.json", code);
    await place().release([copy], as());
    expect(operation.reporter.lines.warn).toEqual([expect.stringContaining(`permission denied (${code})`)]);
  },
);
