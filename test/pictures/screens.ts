import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { serveFolder } from "../../examples/start/bundle.ts";
import { startBrowser } from "../foreignSites/watchedPage.ts";

const MAIN = join(import.meta.dirname, "../../examples/start/main.ts");

/** A page with text, a table and a program. */
const GUIDE = "guides/cluster.html";

interface Screen {
  readonly width: number;
  readonly dark?: true;
}

/** Of the exported site of this documentation. */
const SCREENS: Readonly<Record<string, Screen>> = {
  "site-light": { width: 1280 },
  "site-dark": { width: 1280, dark: true },
  "site-phone": { width: 390 },
};

/** Pixels. */
const HIGHEST = 800;

/** The height of a picture that ends between two lines, so that it cuts none, and no block of code and no table. */
const UNCUT_HEIGHT = `(() => {
  const boxes = innerWidth < 600 ? ".code, tr" : ".code, .table"; // on a phone, each row is a block
  const areas = [...document.querySelectorAll(boxes)].map((box) => box.getBoundingClientRect());
  const texts = document.createTreeWalker(document.querySelector(".layout"), NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  while (texts.nextNode()) {
    range.selectNodeContents(texts.currentNode);
    if (texts.currentNode.data.trim() !== "") areas.push(...range.getClientRects());
  }
  let height = ${HIGHEST};
  while (areas.some(({ top, bottom }) => top < height + 3 && bottom > height - 3)) height--;
  return height;
})()`;

/** Exports and copies the site by `npm start -- --example documentation`, and takes pictures of it. */
export async function takeScreens(): Promise<Map<string, Buffer>> {
  const folder = await mkdtemp(join(tmpdir(), "screens-"));
  try {
    const args = [MAIN, "--example", "documentation", "--output", folder];
    await promisify(execFile)(process.execPath, args, { env: { ...process.env, ENGINE: "local" } });
    const site = await serveFolder(join(folder, "current"));
    const browser = await startBrowser();
    try {
      const pictures = new Map<string, Buffer>();
      for (const [name, { width, dark }] of Object.entries(SCREENS)) {
        const page = await browser.newPage({
          viewport: { width, height: HIGHEST },
          colorScheme: dark ? "dark" : "light",
          reducedMotion: "reduce",
        });
        await page.goto(site.url + GUIDE);
        const height = await page.evaluate<number>(UNCUT_HEIGHT);
        await page.setViewportSize({ width, height });
        pictures.set(`${name}.png`, await page.screenshot({ animations: "disabled", caret: "hide" }));
        await page.close();
      }
      return pictures;
    } finally {
      await browser.close();
      await site.close();
    }
  } finally {
    await rm(folder, { recursive: true });
  }
}
