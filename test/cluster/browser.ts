import { existsSync } from "node:fs";
import { chromium, type Page } from "playwright-core";
import type { TestContext } from "vitest";

const CHROMIUM = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
const FLAGS =
  "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync".split(
    " ",
  );

export interface Reader {
  page: Page;
  /** Addresses of all requests that pages made. */
  requested: string[];
  /** Messages of pages on the console, their errors, and violations of the policy. */
  complaints: string[];
}

/** A browser until the test ends; without one the test is skipped. */
export async function openBrowser(context: TestContext): Promise<Reader> {
  context.skip(!existsSync(CHROMIUM), `there is no Chromium at ${CHROMIUM} (set CHROMIUM)`);
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
  context.onTestFinished(() => browser.close());
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  const requested: string[] = [];
  const complaints: string[] = [];
  page.on("request", (request) => requested.push(request.url()));
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  // a violation is also reported to the page itself, even if the console shows nothing
  await page.addInitScript(
    `addEventListener("securitypolicyviolation", (event) => console.error("violation: " + event.violatedDirective))`,
  );
  return { page, requested, complaints };
}
