import { existsSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { expect, test } from "vitest";
import { buildInstallation } from "./installation.ts";

/** Documentation that nobody here wrote: that of the package fastify. */
const FASTIFY = join(import.meta.dirname, "../../node_modules/fastify/docs");
const CHROMIUM = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
const FLAGS =
  "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync".split(
    " ",
  );

test("one `up` exports the fastify site and installs it; a browser reads it through the pods, from them alone and without a violation of the policy", async (context) => {
  context.skip(!existsSync(CHROMIUM), `there is no Chromium at ${CHROMIUM} (set CHROMIUM)`);
  const installation = await buildInstallation(context, { site: FASTIFY, jobDurationMs: 2_000 });
  const up = await installation.up();
  expect(up.outputs["pageCount"]?.value).toBeGreaterThan(30);
  const url = await installation.url();

  const browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    const requested: string[] = [];
    const complaints: string[] = [];
    page.on("request", (request) => requested.push(request.url()));
    page.on("console", (message) => complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(error.message));
    // a violation is also reported to the page itself, whatever the console shows
    await page.addInitScript(
      `addEventListener("securitypolicyviolation", (event) => console.error("violation: " + event.violatedDirective))`,
    );

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
  } finally {
    await browser.close();
  }
});
