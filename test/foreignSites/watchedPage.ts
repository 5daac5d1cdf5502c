import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";

export const CHROMIUM = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
const FLAGS =
  "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync".split(
    " ",
  );

/** Media types of loaded files: a browser silently ignores a style sheet of another type. */
const MEDIA_TYPES: Readonly<Record<string, RegExp>> = {
  document: /^(?:text\/html|application\/xhtml\+xml)\b/,
  stylesheet: /^text\/css\b/,
  script: /^(?:text|application)\/javascript\b/,
  image: /^image\//,
  font: /^font\//,
};

/** A page, and everything that must not happen on it: the test that opens it checks that at the end. */
export interface WatchedPage {
  page: Page;
  /** Addresses of all requests. */
  requested: string[];
  /** Addresses of whole page loads: none while the site's own script changes between its pages. */
  loaded: string[];
  /**
   * Problems that the browser reports, or should: script errors, refused or failed requests, violations of the policy, wrong
   * media types.
   */
  complaints: string[];
}

export function startBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
}

export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<WatchedPage> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, ...options });
  const requested: string[] = [];
  const loaded: string[] = [];
  const complaints: string[] = [];
  page.on("request", (request) => {
    requested.push(request.url());
    const isRedirected = request.redirectedFrom() !== null;
    if (request.isNavigationRequest() && !isRedirected) loaded.push(new URL(request.url()).pathname);
  });
  page.on("response", (response) => {
    const [status, type] = [response.status(), response.headers()["content-type"] ?? "no media type"];
    if (status >= 400) complaints.push(`${status} ${response.url()}`);
    else if (status === 200 && MEDIA_TYPES[response.request().resourceType()]?.test(type) === false) {
      complaints.push(`${type} ${response.url()}`);
    }
  });
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  // a violation is also reported to the page itself, even if the console shows nothing
  await page.addInitScript(
    `addEventListener("securitypolicyviolation", (event) => console.error("violation: " + event.violatedDirective + " " + event.blockedURI))`,
  );
  return { page, requested, loaded, complaints };
}

/** A screenshot in the folder of the environment variable SCREENSHOTS, if it is set. */
export async function takeScreenshot(page: Page, name: string): Promise<void> {
  const folder = process.env["SCREENSHOTS"];
  if (folder === undefined || folder === "") return;
  await mkdir(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`) });
}
