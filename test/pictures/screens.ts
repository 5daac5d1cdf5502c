import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { serveFolder } from "../../examples/start/bundle.ts";
import { startBrowser } from "../foreignSites/watchedPage.ts";

const MAIN = join(import.meta.dirname, "../../examples/start/main.ts");

interface Screen {
  readonly path: string;
  readonly width: number;
  readonly height: number;
  readonly dark?: true;
}

/** Of the exported site of this documentation. */
const SCREENS: Readonly<Record<string, Screen>> = {
  "site-light": { path: "reference/static-export.html", width: 1280, height: 760 },
  "site-dark": { path: "guides/cluster.html", width: 1280, height: 760, dark: true },
  "site-phone": { path: "guides/first-export.html", width: 390, height: 760 },
};

/** Exports and copies the site by `npm run docs`, and takes pictures of it. */
export async function takeScreens(): Promise<Map<string, Buffer>> {
  const folder = await mkdtemp(join(tmpdir(), "screens-"));
  try {
    const args = [MAIN, "--example", "documentation", "--output", folder];
    await promisify(execFile)(process.execPath, args, { env: { ...process.env, ENGINE: "local" } });
    const site = await serveFolder(join(folder, "current"));
    const browser = await startBrowser();
    try {
      const pictures = new Map<string, Buffer>();
      for (const [name, { path, width, height, dark }] of Object.entries(SCREENS)) {
        const page = await browser.newPage({
          viewport: { width, height },
          colorScheme: dark ? "dark" : "light",
          reducedMotion: "reduce",
        });
        await page.goto(site.url + path);
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
