// A folder that has the mark of another stack is refused before anything is exported: when the inputs of a new resource are checked.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { bundleCopy } from "../../../../provider/copies/bundleCopy/lifeCycle.ts";
import { airGapKit } from "../../../../provider/kits/airGapKit/lifeCycle.ts";
import { markText } from "../../../../provider/publishing/ownership/markText.ts";
import { newOwner } from "../../../../provider/publishing/ownership/owner.ts";
import { localContext, packedSite } from "../../../simulation/packedSite.ts";

const urnOf = (stack: string): string => `urn:pulumi:${stack}::website::docs-hosting:index:BundleCopy::docs`;

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "place-refusal-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

const place = (): string => join(folder, "public");

function mark(text: string): void {
  mkdirSync(join(place(), ".docs-hosting"), { recursive: true });
  writeFileSync(join(place(), ".docs-hosting/owner.json"), text);
}

const KINDS = {
  BundleCopy: { life: bundleCopy, property: "destination", at: () => ({ destination: { folder: place() } }) },
  AirGapKit: { life: airGapKit, property: "folder", at: () => ({ folder: place() }) },
} as const;

describe.each(Object.entries(KINDS))("%s", (_name, { life, property, at }) => {
  function failures(more: object = {}, before?: Readonly<Record<string, unknown>>): unknown {
    const { configuration } = localContext(folder);
    const source = { ...packedSite(folder, "v1", { "index.html": "<h1>Docs</h1>" }), version: "v1" };
    const declaration = { urn: urnOf("prod"), declare: () => undefined };
    return life.check({ source, ...at(), ...more }, configuration, before, declaration).failures;
  }

  test("a new resource is refused at the folder of another stack, by name", () => {
    mark(markText(newOwner(urnOf("dev")), 0));
    expect(failures()).toEqual([
      {
        property,
        reason: expect.stringMatching(
          /public belongs to urn:pulumi:dev::.* \(stack website\/dev\), since 1970-.*getStack\(\)}.*takeOver: true/,
        ) as unknown,
      },
    ]);
  });

  test("`takeOver` takes it, and a resource that exists is compared by its owner ID: not here", () => {
    mark(markText(newOwner(urnOf("dev")), 0));
    expect(failures({ takeOver: true })).toEqual([]);
    expect(failures({}, { folder: place() })).toEqual([]);
  });

  test.for<[string, () => void]>([
    ["nobody's", () => {}],
    ["of a killed run of this resource", () => mark(markText(newOwner(urnOf("prod")), 0))],
    [
      "of a resource of this stack",
      () => mark(markText(newOwner(urnOf("prod").replace("::docs", "::other")), 0)),
    ],
    ["whose mark is no mark: the operation says so", () => mark("{}")],
    [
      "whose mark is larger than a mark",
      () => mark(`${" ".repeat(70_000)}${markText(newOwner(urnOf("dev")), 0)}`),
    ],
    [
      "whose mark is a link",
      () => {
        mark("");
        rmSync(join(place(), ".docs-hosting/owner.json"));
        writeFileSync(join(folder, "mark"), markText(newOwner(urnOf("dev")), 0));
        symlinkSync(join(folder, "mark"), join(place(), ".docs-hosting/owner.json"));
      },
    ],
  ])("a folder is not refused that is %s", ([, prepare]) => {
    prepare();
    expect(failures()).toEqual([]);
  });
});
