// Paths and names that mean something in a shell or in another program, and nothing to this provider.
import { expect, test } from "vitest";
import { bundleCopy } from "../../../provider/copies/bundleCopy/lifeCycle.ts";
import { airGapKit } from "../../../provider/kits/airGapKit/lifeCycle.ts";

const source = { file: import.meta.filename, version: "v1" };
const configuration = { environment: () => undefined, stackConfig: () => undefined };
const failuresOf = (kind: "copy" | "kit", inputs: object): Readonly<Record<string, string>> => {
  const { failures } = (kind === "copy" ? bundleCopy : airGapKit).check({ source, ...inputs }, configuration);
  return Object.fromEntries(failures.map(({ property, reason }) => [property, reason]));
};

const PATHS = {
  "a copy's folder": ["copy", "destination.folder", (folder: string) => ({ destination: { folder } })],
  "a kit's folder": ["kit", "folder", (folder: string) => ({ folder })],
  "a kit's chart": ["kit", "chart", (chart: string) => ({ folder: "kits", chart })],
  "a bundle's file": [
    "copy",
    "source.file",
    (file: string) => ({ source: { file, version: "v1" }, destination: { folder: "public" } }),
  ],
} as const;

test.each(Object.entries(PATHS))(
  "%s is no address, and does not begin with ~",
  (_, [kind, property, inputs]) => {
    for (const address of ["s3://docs/site", "file:///srv/docs", "FTP://host/docs"]) {
      expect(failuresOf(kind, inputs(address))[property]).toMatch(
        / on this machine, such as .*, and no address$/,
      );
    }
    for (const path of ["~", "~/docs", "~\\docs"]) {
      expect(failuresOf(kind, inputs(path))[property]).toContain("which only a shell replaces");
    }
  },
);

test("a folder that only looks like an address or a home folder is one", () => {
  for (const folder of ["./~/docs", "~docs", "s3:docs", "a~"]) {
    expect(failuresOf("copy", { destination: { folder } })).toEqual({});
    expect(failuresOf("kit", { folder })).toEqual({});
  }
});

test.each([
  [
    "a repository",
    "copy",
    "destination.repository",
    (name: string) => ({ destination: { repository: name } }),
  ],
  [
    "a base",
    "copy",
    "destination.base",
    (name: string) => ({ destination: { repository: "r.example/docs", base: name } }),
  ],
  ["an image of a kit", "kit", "images.0", (name: string) => ({ folder: "kits", images: [name] })],
] as const)("%s is written without the scheme of an address", (_, kind, property, inputs) => {
  for (const scheme of ["https://", "http://", "docker://", "OCI://"]) {
    expect(failuresOf(kind, inputs(`${scheme}r.example:5000/nginx`))).toEqual({
      [property]: `must not begin with «${scheme}»: write "r.example:5000/nginx"`,
    });
  }
});
