import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import {
  hasHeadersOf,
  HEADERS_VERSION,
  headersOf,
} from "../../../../../provider/publishing/destinations/objectStore/fileHeaders.ts";
import { IMMUTABLE_PATH } from "../../../../../provider/publishing/inspection/immutableFiles.ts";
import { MEDIA_TYPES } from "../../../../../provider/publishing/inspection/mediaTypes.ts";

const CHART = join(import.meta.dirname, "../../../../../examples/self-hosted/chart");

test("a file has the type and charset that the chart's nginx gives it", () => {
  const configuration = readFileSync(join(CHART, "files/nginx.conf"), "utf8");
  const table = /\n {2}types \{\n([^}]*)\}/.exec(configuration)?.[1] ?? "";
  const texts = new Set(/charset_types ([^;]*);/.exec(configuration)?.[1]?.split(/\s+/));
  const rows = table.split(";").map((row) => row.trim().split(/\s+/));
  const expected = rows.flatMap(([type = "", ...endings]) =>
    endings.map((ending) => {
      // nginx has text/html among them, always
      const isText = texts.has(type) || type === "text/html";
      return [ending, isText ? `${type}; charset=utf-8` : type];
    }),
  );
  expect(expected.length).toBeGreaterThan(50);
  expect(expected.map(([ending]) => [ending, headersOf(`a/b.${ending ?? ""}`).contentType])).toEqual(
    expected,
  );
});

test("only the files whose headers a version changed are sent again", () => {
  for (const path of ["index.html", "a.css", "a.svg", "CNAME"]) expect(hasHeadersOf(1, path)).toBe(true);
  for (const path of ["a.xhtml", "b/a.SHTML", "a.svgz", "a.ipynb"]) {
    expect([1, 2, 3, 4].map((version) => hasHeadersOf(version, path))).toEqual([false, true, true, false]);
  }
  expect([0, Number.NaN].map((version) => hasHeadersOf(version, "index.html"))).toEqual([false, false]);
});

test("a change of the headers is a version of its own: otherwise, files of earlier copies keep theirs", () => {
  const endings = MEDIA_TYPES.flatMap((row) => row.endings.split(" ")).map((ending) => `a.${ending}`);
  const names = [NAMED_AFTER_CONTENT, NAMED_OTHERWISE].flatMap((each) => Object.values(each).flat());
  const sent = [...endings, ...names, "a.unheard"].map((path) => [path, headersOf(path)]);
  // add a row to `CHANGES` before this digest is changed
  expect([HEADERS_VERSION, hash("sha256", JSON.stringify(sent))]).toEqual([
    3,
    "f2eda7108ba7a2661ac08c69ac24eee0f0183ed635cd790e90260581f0fe19dd",
  ]);
});

test("a file with another ending, or none, is bytes", () => {
  expect(headersOf("a.unheard").contentType).toBe("application/octet-stream");
  expect(headersOf("CNAME").contentType).toBe("application/octet-stream");
  expect(headersOf("a.HTML").contentType).toBe("text/html; charset=utf-8");
});

test("the names that are immutable are those of the chart", () => {
  const values = parse(readFileSync(join(CHART, "values.yaml"), "utf8")) as {
    web: { immutablePattern: string };
  };
  expect(IMMUTABLE_PATH.source.replaceAll("\\/", "/")).toBe(
    values.web.immutablePattern.replace("(?x)", "").replaceAll(/\s/g, ""),
  );
});

/** What all stores send of a file that never changes. */
const FOR_EVER = "public, max-age=31536000, immutable";

/** Names as generators write them, with what they named after the content. */
const NAMED_AFTER_CONTENT: Readonly<Record<string, readonly string[]>> = {
  "Next.js": [
    "_next/static/chunks/06aq38lyarlhm.js",
    "_next/static/chunks/turbopack-2u1d16houkiyo.js",
    "_next/static/media/lamp.02cc-g44ckpq0.png",
    "_next/static/VmTHVkZYE78-Yjv0TZIu7/_buildManifest.js",
    "_next/static/css/0a1b2c3d4e5f6789.css",
    "_next/static/media/e4af272ccee01ff0-s.p.woff2",
    "_next/static/chunks/app/layout-0a1b2c3d4e5f6789.js",
  ],
  "Vite and VitePress": [
    "assets/index-BvK3x0Qz.js",
    "assets/index-BVCMXACy.js.map",
    "assets/vendor-EJKC5Bjf.js",
    "assets/inter-Nxl_Cpzk.woff2",
    "assets/chart-wlg9oMao.css",
    "assets/logo-sdc6lC1M.png",
    "assets/logo-drp-_6Fd.png",
    "assets/chunks/framework.DPJb9kZX.js",
    "assets/index.md.-FmdXSU1.lean.js",
  ],
  "Docusaurus, webpack": [
    "assets/js/main.1a2b3c4d.js",
    "search-index-cee9bfce.json",
    "img/photo-1a2b3c4d.png",
  ],
  "Astro, Nuxt and SvelteKit": [
    "_astro/index.BvK3x0Qz.css",
    "_nuxt/BvK3x0Qz.js",
    "_app/immutable/entry/start.DPJb9kZX.js",
    "_app/immutable/chunks/DkA9Lo_x.js",
    "_app/immutable/chunks/DGzvzLN3.js",
    "_app/immutable/nodes/2.DJ5OjpVJ.js",
  ],
};

test.for(Object.entries(NAMED_AFTER_CONTENT))("what %s names after its content is immutable", ([, paths]) => {
  expect(paths.filter((path) => headersOf(path).cacheControl !== FOR_EVER)).toEqual([]);
});

/** Names that have no hash, although they have as many characters as one. */
const NAMED_OTHERWISE: Readonly<Record<string, readonly string[]>> = {
  "words below assets/": [
    "assets/shot-MyScreen.png",
    "assets/flow-ToDoList.png",
    "assets/img-GitHubUI.svg",
    "assets/step-HowToUse.png",
    "assets/lib-MyWidget.js",
    "assets/lib-threadId.js",
    "assets/lib-dbHandle.js",
    "assets/lib-VariantA.js",
    "assets/lib-S3Upload.js",
    "assets/lib-Vector3D.css",
    "assets/lib-HtmlText.js",
    "assets/lib-xConnect.js",
    "assets/Inter-BoldItal.woff2",
    "assets/shot-OAuth2v1.png",
    "assets/page-NodeJsV8.png",
    "_nuxt/ToDoList.js",
  ],
  "words and numbers": [
    "assets/setup-iPhone15.png",
    "assets/setup-Win11Pro.png",
    "assets/tour-Step1Of3.webp",
    "assets/fig-C4Model1.svg",
    "assets/guide-MySQL8DB.pdf",
    "assets/phone-iPhone5s.png",
    "assets/nodes-k8sFlow1.png",
    "assets/menu-i18nFlow.svg",
    "assets/fig-Fig12a_B.png",
    "assets/desk-macOS14x.png",
    "assets/disk-HDMI2_1a.png",
    "assets/chip-i7-9700K.png",
    "assets/when-12Nov24a.png",
    "assets/when-Jan2024B.png",
    "assets/paper-PlanBv2.1.pdf",
    "assets/tier-PartNo7B.png",
  ],
  "dates between hexadecimal digits": [
    "images/build-20240115a1b2.png",
    "images/build-a1b220240115.png",
    "report-2024a1b2.pdf",
    "build-15012024ab.png",
  ],
  "words of hexadecimal digits": ["talk-face2face.png", "menu.cafecafe.pdf"],
  "a build of Next.js whose id somebody chose": [
    "_next/static/v1/_buildManifest.js",
    "_next/static/v1/_ssgManifest.js",
    "_next/static/0a1b2c3d4e5f60718293a4b5c6d7e8f901234567/_buildManifest.js",
    "_next/static/Production-Build-2024/_buildManifest.js",
    "_next/static/chunks/main.js",
  ],
  "the digest of a diagram's source": ["_images/graphviz-0a1b2c3d4e5f60718293a4b5c6d7e8f901234567.png"],
  "no hash at all": [
    "index.html",
    "assets/page-1a2b3c4d.html",
    "assets/getting-started.js",
    "img/logo-20240102.png",
    "search-index.json",
    "upload-6b1f0c2e-4d5a-4f3b-9c8d-0a1b2c3d4e5f.png",
  ],
};

test.for(Object.entries(NAMED_OTHERWISE))("a name with %s is not immutable", ([, paths]) => {
  expect(paths.filter((path) => headersOf(path).cacheControl !== "no-cache")).toEqual([]);
});

test("a long name is judged at once", () => {
  const startedAt = performance.now();
  headersOf(`assets/${"a-Ab.".repeat(500)}x-${"aA".repeat(2_000)}!`);
  expect(performance.now() - startedAt).toBeLessThan(200);
});
