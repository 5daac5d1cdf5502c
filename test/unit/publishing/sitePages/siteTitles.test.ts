import { expect, test } from "vitest";
import { withoutSiteName } from "../../../../provider/publishing/sitePages/siteTitles.ts";

test.for([
  [
    ["Start | Docs", "Install | Docs"],
    ["Start", "Install"],
  ],
  [
    ["Docs", "Install | Docs", "Use - Fast | Docs"],
    ["Docs", "Install", "Use - Fast"],
  ],
  [
    ["Docs: Start", "Docs · Install", "Docs · Use"],
    ["Docs: Start", "Install", "Use"],
  ],
  [
    ["os — Paths — Manual", "io — Streams — Manual"],
    ["os — Paths", "io — Streams"],
  ],
  [
    ["A  |  Docs", "B  --  Docs"],
    ["A", "B"],
  ],
  [
    ["Docs  |  A", "Docs  --  B"],
    ["A", "B"],
  ],
  // titles without a separator do not count
  [
    ["A", "B", "C", "D", "E", "F | Docs", "G | Docs"],
    ["A", "B", "C", "D", "E", "F", "G"],
  ],
  // one page says nothing of the site
  [["Install | Docs"], ["Install | Docs"]],
  [
    ["Install | One", "Use | Two", "Stop | Three"],
    ["Install | One", "Use | Two", "Stop | Three"],
  ],
] as const)("%j", ([titles, expected]) => {
  expect(titles.map(withoutSiteName(titles))).toEqual(expected);
});
