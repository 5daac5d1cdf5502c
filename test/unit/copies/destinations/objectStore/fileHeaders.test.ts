import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { IMMUTABLE } from "../../../../../provider/site/inspection/immutableFiles.ts";
import {
  hasHeadersOf,
  headersOf,
} from "../../../../../provider/copies/destinations/objectStore/fileHeaders.ts";

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
    expect([1, 2, 3].map((version) => hasHeadersOf(version, path))).toEqual([false, true, false]);
  }
  expect([0, Number.NaN].map((version) => hasHeadersOf(version, "index.html"))).toEqual([false, false]);
});

test("a file with another ending, or none, is bytes", () => {
  expect(headersOf("a.unheard").contentType).toBe("application/octet-stream");
  expect(headersOf("CNAME").contentType).toBe("application/octet-stream");
  expect(headersOf("a.HTML").contentType).toBe("text/html; charset=utf-8");
});

test("the files that are cached without end are those of the chart", () => {
  const values = parse(readFileSync(join(CHART, "values.yaml"), "utf8")) as {
    web: { immutablePattern: string };
  };
  expect(IMMUTABLE.source.replaceAll("\\/", "/")).toBe(
    values.web.immutablePattern.replace("(?x)", "").replaceAll(/\s/g, ""),
  );
});

test.for([
  ["_next/static/chunks/main.js", true],
  ["assets/index-BvK3x0Qz.js", true],
  ["assets/js/main.1a2b3c4d.js", true],
  ["assets/chunks/framework.DPJb9kZX.js", true],
  ["assets/css/styles.0f1e2d3c.css", true],
  ["index.html", false],
  ["assets/page-1a2b3c4d.html", false],
  ["assets/getting-started.js", false],
  ["img/logo-20240102.png", false],
  ["search-index.json", false],
] as const)("%s is cached without end: %s", ([path, isImmutable]) => {
  expect(headersOf(path).cacheControl).toBe(isImmutable ? "public, max-age=31536000, immutable" : "no-cache");
});
