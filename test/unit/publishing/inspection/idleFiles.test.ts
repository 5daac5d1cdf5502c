// Files of a site that do nothing for readers here.
import { expect, test } from "vitest";
import { SITE, tarGz } from "../../../chart/tarArchive.ts";
import { inspected } from "../archives/bundleOnDisk.ts";

const NONE = { ofHosts: [], ofGenerators: [] };

test.each([
  ["_redirects", { ...NONE, ofHosts: ["_redirects"] }],
  ["_headers", { ...NONE, ofHosts: ["_headers"] }],
  ["vercel.json", { ...NONE, ofHosts: ["vercel.json"] }],
  ["staticwebapp.config.json", { ...NONE, ofHosts: ["staticwebapp.config.json"] }],
  [".htaccess", { ...NONE, ofHosts: [".htaccess"] }],
  [".doctrees/environment.pickle", { ...NONE, ofGenerators: [".doctrees"] }],
  ["en/.doctrees/index.doctree", { ...NONE, ofGenerators: ["en/.doctrees"] }],
  [
    "notebooks/.ipynb_checkpoints/a-checkpoint.ipynb",
    { ...NONE, ofGenerators: ["notebooks/.ipynb_checkpoints"] },
  ],
])("%s is named", async (name, expected) => {
  expect((await inspected(tarGz([...SITE, { name }, { name: "other.txt" }]))).idleFiles).toEqual(expected);
});

test.each(["guide/vercel.json", "examples/_redirects", "doctrees/a", ".doctrees", "_headers.html"])(
  "%s is published without a word",
  async (name) => {
    expect((await inspected(tarGz([...SITE, { name }]))).idleFiles).toEqual(NONE);
  },
);

test("they are named below the site's folder, each folder once", async () => {
  const names = [
    "site/index.html",
    "site/_redirects",
    "site/.doctrees/a.doctree",
    "site/.doctrees/b.doctree",
  ];
  expect((await inspected(tarGz(names.map((name) => ({ name }))))).idleFiles).toEqual({
    ofHosts: ["_redirects"],
    ofGenerators: [".doctrees"],
  });
});
