// A run that puts a copy into a bucket, in its own process that tests kill: for `bucketKills.test.ts`. Arguments: the destination
// in JSON, folder with the bundle, its SHA-256, an empty folder. Prints "begun", then "done".
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { DestinationInputs } from "../../dist/provider/publishing/destinations/inputs.js";
import { beginCopy } from "./builtBucket.ts";

const [place = "", folder = "", sha256 = "", scratch = ""] = process.argv.slice(2);
const destination = JSON.parse(place) as DestinationInputs;
const draft = await beginCopy(destination, { path: join(folder, "bundle"), sha256 }, scratch);
for (const name of draft.sink ? await readdir(join(folder, "site")) : []) {
  const content = await readFile(join(folder, "site", name));
  await draft.sink?.file(
    { path: name, size: content.length },
    (async function* () {
      yield await Promise.resolve(content);
    })(),
  );
}
console.log("begun");
await draft.publish();
console.log("done");
