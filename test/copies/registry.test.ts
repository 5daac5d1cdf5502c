import { expect, test } from "vitest";
import { crane, pushEmptyImage } from "./images.ts";
import { startRegistry } from "./registry.ts";

test("one client finds what another one pushed to the registry of the tests", async (context) => {
  const { host } = await startRegistry(context);
  await pushEmptyImage(`${host}/a:1`);
  expect(await crane("validate", "--remote", `${host}/a:1`)).toContain("PASS");
});
