import { adapters } from "./adapters.ts";
import { bucket } from "./bucket.ts";
import { downloadBench } from "./download.ts";
import { fleet } from "./fleet.ts";
import { growth } from "./growth.ts";
import { hundredExports } from "./hundredExports.ts";
import { kit } from "./kit.ts";
import { lag } from "./lag.ts";
import { pages } from "./pages.ts";
import { pluginStart } from "./pluginStart.ts";
import { programStart } from "./programStart.ts";
import { publishToPage } from "./publishToPage.ts";
import { push } from "./push.ts";
import { search } from "./search.ts";
import { thousandWaits } from "./thousandWaits.ts";

/**
 * What `npm run bench` can run. Each bench is in its own file, prints its figures and says whether they are within its limits.
 */
const BENCHES: Readonly<Record<string, () => Promise<boolean>>> = {
  lag,
  "thousand-waits": thousandWaits,
  "program-start": programStart,
  "plugin-start": pluginStart,
  "hundred-exports": hundredExports,
  adapters,
  fleet,
  "publish-to-page": publishToPage,
  pages,
  download: downloadBench,
  bucket,
  growth,
  push,
  kit,
  search,
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in BENCHES));
if (unknown.length > 0) {
  console.error(`no bench ${unknown.join(", ")}; there are: ${Object.keys(BENCHES).join(", ")}`);
  process.exitCode = 1;
} else {
  for (const [name, bench] of Object.entries(BENCHES)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    console.log(`\n${name}`);
    if (!(await bench())) process.exitCode = 1;
  }
}
