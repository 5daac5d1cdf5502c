import { cp, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type Browser, type Page, chromium } from "playwright-core";
import { render, serving, type Values } from "../chart/renderedChart.ts";
import { WebServer } from "../chart/webServer.ts";
import { type SiteName, buildSite } from "./builtSite.ts";

export const CHROMIUM = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
const FLAGS =
  "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync".split(
    " ",
  );

/** A page, and all that must not be: whoever opens it asks at the end. */
export interface WatchedPage {
  page: Page;
  /** Addresses of everything that was requested. */
  requested: string[];
  /** Addresses that whole pages were loaded from: none while the site's own script changes between its pages. */
  loaded: string[];
  /** What the browser complained of: errors of scripts, refused or failed requests, violations of the policy. */
  complaints: string[];
}

/** A site of another generator behind the chart's own nginx, and a browser to read it with. */
export class ServedSite {
  readonly #server = new WebServer();
  #browser: Browser | undefined;

  async start(name: SiteName, web: Values = {}): Promise<void> {
    const site = await buildSite(name, () => undefined);
    await cp(site, join(this.#server.root, "site/active"), { recursive: true });
    await this.#server.start(await render(serving({ web })));
    this.#browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}`;
  }

  get server(): WebServer {
    return this.#server;
  }

  async open(): Promise<WatchedPage> {
    if (!this.#browser) throw new Error("The site is not served yet.");
    const page = await this.#browser.newPage({ viewport: { width: 1280, height: 800 } });
    const requested: string[] = [];
    const loaded: string[] = [];
    const complaints: string[] = [];
    page.on("request", (request) => {
      requested.push(request.url());
      if (request.isNavigationRequest()) loaded.push(new URL(request.url()).pathname);
    });
    page.on("response", (response) => {
      if (response.status() >= 400) complaints.push(`${response.status()} ${response.url()}`);
    });
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(error.message));
    // a violation is also reported to the page itself, whatever the console shows
    await page.addInitScript(
      `addEventListener("securitypolicyviolation", (event) => console.error("violation: " + event.violatedDirective + " " + event.blockedURI))`,
    );
    return { page, requested, loaded, complaints };
  }

  async stop(): Promise<void> {
    await this.#browser?.close();
    await this.#server.remove();
  }
}

/** A picture of what is shown, in the folder of the environment variable SCREENSHOTS, if it is set. */
export async function takeScreenshot(page: Page, name: string): Promise<void> {
  const folder = process.env["SCREENSHOTS"];
  if (folder === undefined || folder === "") return;
  await mkdir(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`) });
}
