import { expect, test } from "vitest";
import { shortAnchor, wholeAnchor } from "../../../../provider/publishing/search/anchors.ts";

test.for([
  ["getting-started", "Getting started!", 0],
  ["größe-der-kopie", "Größe der Kopie", 0],
  ["fsreadfilepath-callback", "fs.readFile(path, callback)", 1],
  ["os.path.join", "os.path.join(path, *paths)", 2],
  ["click.Option", "class click.Option(name)", 2],
  ["id3", "Getting started", "id3"],
  ["", "", ""],
  ["", "Heading", ""],
  ["__proto__", "constructor", "__proto__"],
] as const)("the anchor %s of «%s» is kept as %s, and read again", ([anchor, heading, short]) => {
  expect(shortAnchor(anchor, heading)).toBe(short);
  expect(wholeAnchor(short, heading)).toBe(anchor);
});
