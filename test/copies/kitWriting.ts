// A run that writes a kit, in its own process that tests kill: for `kitKills.test.ts`. Arguments: base, archive, its SHA-256,
// folder for kits, scratch folder. Prints "begun", then "done" and the kit's name.
import { stat } from "node:fs/promises";
import { writeKit } from "../../dist/provider/kits/contents/writeKit.js";
import { builtContext } from "./builtContext.ts";

const [base = "", path = "", sha256 = "", folder = "", scratch = ""] = process.argv.slice(2);
console.log("begun");
const { size } = await stat(path);
const { name } = await writeKit(
  {
    bundle: { path, format: "tar.gz", sha256, size, version: "v1", root: "", leftOut: [] },
    limits: { unpackedBytes: 1e9, files: 100 },
    images: [base],
    platforms: ["linux/amd64", "linux/arm64"],
    values: {},
    earlier: [],
  },
  { folder, owner: "urn" },
  builtContext(scratch),
);
console.log(`done ${name}`);
