import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Browser, Page } from "playwright-core";

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".json": "application/json",
  ".wasm": "application/wasm",
};
const BLANK = '<!doctype html><html lang="LANG"><link rel="icon" href="data:,"><p>A page.</p>';
/** As many as Pagefind's own interface loads at first. */
const SHOWN_BY_PAGEFIND = 5;

/** A server of a site that compresses as the chart's does, and counts what it sends. */
export interface CountingServer {
  readonly url: string;
  /** What was sent since the last call: bytes of bodies, and requests. */
  taken(): { bytes: number; requests: number };
  close(): void;
}

/** @param language of a page without a text, `blank.html` */
export async function startCountingServer(folder: string, language: string): Promise<CountingServer> {
  let [bytes, requests] = [0, 0];
  const server = createServer((request, response) => {
    void (async () => {
      const { pathname } = new URL(request.url ?? "/", "http://site");
      const isBlank = pathname === "/blank.html";
      const body = isBlank
        ? Buffer.from(BLANK.replace("LANG", language))
        : await readFile(join(folder, decodeURIComponent(pathname))).catch(() => undefined);
      if (!body) return response.writeHead(404).end();
      const type = MEDIA_TYPES[extname(pathname)];
      const sent = type === undefined || type.endsWith("wasm") ? body : gzipSync(body, { level: 9 });
      if (!isBlank) [bytes, requests] = [bytes + sent.length, requests + 1];
      const encoding = sent === body ? {} : { "content-encoding": "gzip" };
      response.writeHead(200, { "content-type": type ?? "application/octet-stream", ...encoding }).end(sent);
      return undefined;
    })();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    taken: () => {
      const taken = { bytes, requests };
      [bytes, requests] = [0, 0];
      return taken;
    },
    close: () => server.close(),
  };
}

/** What a reader's browser loads until the first results of a question, with an empty cache. */
export interface ReaderCost {
  /** Before the search is opened: what each page adds. */
  readonly pageView: number;
  readonly bytes: number;
  readonly requests: number;
}

/** Opens the search box, and types the words without a pause: the box waits for one. */
export async function costOfBox(
  browser: Browser,
  server: CountingServer,
  words: string,
): Promise<ReaderCost> {
  return onBlankPage(browser, server, async (page) => {
    await page.addScriptTag({ url: "/docs-hosting-search/load.js" });
    await page.locator(".docs-hosting-search-button").waitFor();
    const { bytes: pageView } = server.taken();
    await page.keyboard.press("/");
    await page.locator("dialog.docs-hosting-search").waitFor();
    await page.keyboard.insertText(words);
    await page.getByRole("option").first().waitFor();
    await page.waitForLoadState("networkidle");
    const { bytes, requests } = server.taken();
    return { pageView, bytes: bytes + pageView, requests };
  });
}

/** Without any interface of Pagefind, which is more to load. */
export async function costOfPagefind(
  browser: Browser,
  server: CountingServer,
  words: string,
): Promise<ReaderCost> {
  return onBlankPage(browser, server, async (page) => {
    await page.evaluate(`(async () => {
      const { search } = await import("/pagefind/pagefind.js");
      const { results } = await search(${JSON.stringify(words)});
      await Promise.all(results.slice(0, ${SHOWN_BY_PAGEFIND}).map((result) => result.data()));
    })()`);
    return { pageView: 0, ...server.taken() };
  });
}

/** Opens an empty page with an empty cache. What it took itself does not count. */
async function onBlankPage(
  browser: Browser,
  server: CountingServer,
  measure: (page: Page) => Promise<ReaderCost>,
): Promise<ReaderCost> {
  const page = await browser.newPage();
  try {
    await page.goto(`${server.url}/blank.html`);
    server.taken();
    return await measure(page);
  } finally {
    await page.close();
  }
}
