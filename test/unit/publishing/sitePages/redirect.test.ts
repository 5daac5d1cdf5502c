import { expect, test } from "vitest";
import { leadsAway, redirectIn } from "../../../../provider/publishing/sitePages/redirect.ts";

test.for([
  ["300", { address: "", seconds: 300 }],
  ["0; url=a.html", { address: "a.html", seconds: 0 }],
  ["5;URL='a b.html'", { address: "a b.html", seconds: 5 }],
  ['1.5 , url = "a.html" x', { address: "a.html", seconds: 1 }],
  ["0 a.html", { address: "a.html", seconds: 0 }],
  [".5; url=a", { address: "a", seconds: 0 }],
  ["", undefined],
  ["a.html", undefined],
  ["5a.html", undefined],
] as const)("the refresh «%s» is read as browsers do", ([content, redirect]) =>
  expect(redirectIn(content)).toEqual(redirect),
);

test.for([
  ["", 0, false],
  ["other.html", 0, true],
  ["own.html", 0, false],
  ["https://docs.example.com/own.html", 300, false],
  ["https://docs.example.com/own.html", 0, true],
  ["https://docs.example.com/other.html", 300, true],
] as const)("a refresh to «%s» after %i s leads away: %s", ([address, seconds, away]) =>
  expect(leadsAway({ address, seconds }, (link) => /^\/?own\.html$/.test(link))).toBe(away),
);
