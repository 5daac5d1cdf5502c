// A run that puts a copy into a bucket, in its own process that tests kill: for `bucketKills.test.ts`. Arguments: endpoint,
// layout, folder with the bundle, its SHA-256, an empty folder. Prints "begun", then "done".
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { beginCopy } from "./builtBucket.ts";

const [endpoint = "", layout = "", folder = "", sha256 = "", scratch = ""] = process.argv.slice(2);
const draft = await beginCopy(
  { bucket: "docs", prefix: "v", endpoint, layout: layout === "site" ? "site" : "archive" },
  { path: join(folder, "bundle"), sha256 },
  scratch,
);
for (const name of layout === "site" ? await readdir(join(folder, "site")) : []) {
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
