// One kit in its own process, for `kit.ts`. Arguments: archive, base image, chart, folder for kits; the signing key in KIT_KEY.
// Prints how many milliseconds it took, and the kit's size in bytes.
import { AIR_GAP_KIT_INPUTS, type CheckedKitInputs } from "../../dist/provider/kits/airGapKit/inputs.js";
import { airGapKit } from "../../dist/provider/kits/airGapKit/lifeCycle.js";
import { checkByTable } from "../../dist/provider/resource/inputTable.js";
import { realContext } from "./realContext.ts";

const [file = "", base = "", chart = "", folder = ""] = process.argv.slice(2);
const context = realContext({});
const { inputs, failures } = checkByTable<CheckedKitInputs>(
  AIR_GAP_KIT_INPUTS,
  { source: { file, version: "1" }, folder, chart, images: [base], signingKeyEnv: "KIT_KEY" },
  context.configuration,
);
if (failures.length > 0) throw new Error(JSON.stringify(failures));
const startedAt = performance.now();
const { outputs } = await airGapKit.create(context, inputs);
console.log(JSON.stringify({ ms: performance.now() - startedAt, bytes: outputs.size }));
