// Which places the running program declares, also through another provider's process.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { DeclaredPlaces } from "../../../provider/resource/declaredPlaces.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "declared-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
});
const process = (address = "127.0.0.1:4711"): DeclaredPlaces =>
  new DeclaredPlaces(
    () => join(root, "declared"),
    () => address,
  );

test("the second resource of a program with a place is told the first, also in another process of the operation", () => {
  const [one, other] = [process(), process()];
  expect(one.declare("urn:a", ["public"])).toBeUndefined();
  expect(one.declare("urn:a", ["public"])).toBeUndefined(); // Check is called several times
  expect(one.declare("urn:b", ["public"])).toBe("urn:a");
  expect(other.declare("urn:c", ["elsewhere", "public"])).toBe("urn:a");
  expect(other.declare("urn:d", ["public/b"])).toBeUndefined();
});

test("another operation, an ended one, and a place that the resource no longer has do not count", () => {
  const one = process();
  one.declare("urn:a", ["public"]);
  expect(process("127.0.0.1:4712").declare("urn:b", ["public"])).toBeUndefined();
  one.declare("urn:a", ["public-a"]);
  expect(one.declare("urn:b", ["public"])).toBeUndefined();
  one.operationEnded();
  expect(process().declare("urn:c", ["public", "public-a"])).toBeUndefined();
});

test("the declaration of a process that has ended does not count", () => {
  process().declare("urn:a", ["public"]);
  const [operation = ""] = readdirSync(join(root, "declared"));
  for (const name of readdirSync(join(root, "declared", operation))) {
    const path = join(root, "declared", operation, name);
    writeFileSync(path, readFileSync(path, "utf8").replace(/-\d+-\d+-/, "-999999999-1-"));
  }
  expect(process().declare("urn:b", ["public"])).toBeUndefined();
});

test("another resource counts as declared unless the one that asks was checked and the other was not", () => {
  const one = process();
  expect(one.isDeclared("urn:b", "urn:a")).toBe(true);
  expect(one.isDeclared("urn:b", undefined)).toBe(true);
  one.declare("urn:a", []);
  expect(one.isDeclared("urn:b", "urn:a")).toBe(false);
  process().declare("urn:b", []);
  expect(one.isDeclared("urn:b", "urn:a")).toBe(true);
});
