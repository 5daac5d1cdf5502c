import { join } from "node:path";
import { expect, test } from "vitest";
import { openBrowser } from "./browser.ts";
import { buildInstallation } from "./installation.ts";

/** Real documentation: that of the package fastify. */
const FASTIFY = join(import.meta.dirname, "../../node_modules/fastify/docs");

test("one `up` exports the fastify site and installs it; a browser reads all of it from the pods, without a violation of the policy", async (context) => {
  const { page, requested, complaints } = await openBrowser(context);
  const installation = await buildInstallation(context, { site: FASTIFY, jobDurationMs: 2_000 });
  const up = await installation.up();
  expect(up.outputs["pageCount"]?.value).toBeGreaterThan(30);
  const url = await installation.url();

  const response = await page.goto(url);
  expect(response?.status()).toBe(200);
  expect(response?.headers()["content-security-policy"]).toBeDefined();
  expect(await page.title()).toContain("Fastify");
  await page.locator("#site-navigation").getByRole("link", { name: "Hooks" }).click();
  await page.waitForURL(/Reference\/Hooks/);
  expect(await page.title()).toContain("Hooks");
  const extensionless = await page.goto(`${url}Reference/Server`);
  expect(extensionless?.status()).toBe(200);
  // the page's own script runs under the policy
  expect(await page.locator("#site-navigation [aria-current=page]").textContent()).toContain("Server");

  expect(complaints).toEqual([]);

  const missing = await page.goto(`${url}no-such-page`);
  expect(missing?.status()).toBe(404);
  expect(requested.length).toBeGreaterThan(8);
  expect(requested.filter((address) => !address.startsWith(url))).toEqual([]);
});
