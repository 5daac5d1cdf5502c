// `npm test -- llms-sites`: the Markdown of sites of many generators, beside that of their own plugins.
import { delimiter, join } from "node:path";
import { prepareDebianPackages } from "../programs/debianPackages.ts";
import { runVitest } from "../programs/runVitest.ts";

const say = (what: string) => console.log(`llms-sites: ${what}`);
const { commandFolders } = await prepareDebianPackages(say, { doxygen: "doxygen", git: "git" });
process.exitCode = await runVitest(join(import.meta.dirname, "llmsSites.config.ts"), {
  PATH: [process.env["PATH"], ...commandFolders].join(delimiter),
});
