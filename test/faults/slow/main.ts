// `npm run test:faults`: with toxiproxy.
import { join } from "node:path";
import { prepareToxiproxy } from "../../programs/goPrograms.ts";
import { runVitest } from "../../programs/runVitest.ts";

const TOXIPROXY = await prepareToxiproxy((what) => console.log(`test:faults: ${what}`));
process.exitCode = await runVitest(join(import.meta.dirname, "vitest.config.ts"), { TOXIPROXY });
