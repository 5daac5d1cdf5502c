// A run whose program never ends and ignores signals: for `killedRuns.test.ts`. Prints a line once it is busy.
import { watch } from "node:fs";
import { buildWorld } from "../stack/world.ts";

const world = await buildWorld({ onTestFinished: () => undefined }, "local");
watch(world.programFolder, (_, name) => {
  if (name === "busy") console.log("busy");
});
world.program(`require("node:fs").writeFileSync(__dirname + "/busy", ""); for (;;);`);
await world.stack.up();
