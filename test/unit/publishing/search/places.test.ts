import { expect, test } from "vitest";
import { decodedPlaces, encodedPlaces } from "../../../../provider/publishing/search/places.ts";

test.for([
  [[]],
  [[0]],
  [[23]],
  [[24]],
  [[0, 1, 2, 25, 26, 700, 9_999]],
  [[167, 168, 169, 1_175, 1_176, 1_177]],
])("the sections %j are the same after they were written", ([sections = []]) => {
  const text = encodedPlaces(sections);
  expect(decodedPlaces(text)).toEqual(sections);
  expect(text).toMatch(/^[^a-z0-9A-Z\s"\\]*$/);
});
