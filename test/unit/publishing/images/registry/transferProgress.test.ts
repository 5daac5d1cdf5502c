import { expect, test } from "vitest";
import { transferProgress } from "../../../../../provider/publishing/images/registry/transferProgress.ts";
import { recordingReporter } from "../../../../simulation/recordingReporter.ts";
import { VirtualClock } from "../../../../simulation/virtualClock.ts";

test("concurrent transfers of blobs are reported together, four times a second; existing blobs do not raise the rate", () => {
  const clock = new VirtualClock();
  const reporter = recordingReporter();
  const [one, two, three] = ["1", "2", "3"].map((digest) => ({ digest, size: 40_000_000 })) as [
    Blob,
    Blob,
    Blob,
  ];
  const progress = transferProgress({ clock, reporter }, "pulling nginx:1", [one, two, three]);
  progress.moved(one, 0);
  clock.advance(249);
  progress.moved(one, 4_000_000);
  progress.found(three);
  clock.advance(751);
  progress.moved(two, 6_000_000);
  progress.moved(two, 7_000_000);
  expect(reporter.lines.progress).toEqual([
    "0% · 0 B of 120 MB · pulling nginx:1",
    "41% · 50.0 MB of 120 MB · 10.0 MB/s · ~7s · pulling nginx:1",
  ]);
  clock.advance(250);
  progress.moved(one, 40_000_000);
  expect(reporter.lines.progress.at(-1)).toMatch(/^72% · 87\.0 MB of 120 MB · 37\.6 MB\/s · /);
});

interface Blob {
  digest: string;
  size: number;
}
