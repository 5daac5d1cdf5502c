import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { checkRooms, ROOMS } from "../mutations/rooms.ts";

test("each file of provider/ and sdk/ is in one room of the mutations, and no other", () => {
  expect(checkRooms).not.toThrow();
});

test("the tests that judge a room are there", () => {
  const tests = [...ROOMS.values()].flatMap((room) => room.tests);
  expect(tests.filter((name) => !existsSync(`${import.meta.dirname}/../${name}.test.ts`))).toEqual([]);
});
