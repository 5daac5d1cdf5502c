// Words that are written in several ways: versions, hyphens, umlauts, scripts with marks.
import { describe, expect, test } from "vitest";
import { searchLanguages } from "../../../../provider/publishing/search/browser/searchLanguages.ts";
import {
  folded,
  transcribed,
  unhyphenated,
  visible,
  wordsOf,
} from "../../../../provider/publishing/search/words.ts";
import { find, languagesOf, type PublishedSite, publishedSite } from "../offlineSearch/publishedSite.ts";

test.for([
  ["łódź Ørsted Đà ħal Æther Œuvre", "lodz orsted da hal aether oeuvre"],
  ["كَتَبَ أحمد إلى مؤسسة", "كتب احمد الي موسسه"],
  ["کتاب فارسی", "كتاب فارسي"],
  ["שָׁלוֹם", "שלום"],
  ["ज़रूरत কড়া", "जरूरत কডা"],
  ["ґрунт обʼєкт", "грунт обєкт"],
  ["٢٫۳", "2٫3"],
] as const)("«%s» is folded to «%s»", ([text, expected]) => expect(folded(text)).toBe(expected));

test("a version is one word with and without v, and its beginnings are parts", () => {
  expect(wordsOf("v2.4.0 2.4 V10.1")).toEqual([
    { text: "2.4.0", parts: ["2.4", "2"] },
    { text: "2.4", parts: ["2"] },
    { text: "10.1", parts: ["10"] },
  ]);
  expect(wordsOf("v10 ipv4")).toEqual([
    { text: "v10", parts: ["10"] },
    { text: "ipv4", parts: [] },
  ]);
});

test("words with hyphens are also one word; names with digits are not", () => {
  expect(unhyphenated("an e-mail, end‑to‑end, --no-cache, utf-8, a-b1")).toEqual([
    "email",
    "endtoend",
    "nocache",
  ]);
  expect(unhyphenated("نمی\u200cخوانده\u200cام")).toEqual(["نميخواندهام"]);
});

test("so are words of Cyrillic and Hebrew with an apostrophe or a gershayim, and no others", () => {
  expect(unhyphenated("об'єкт пам’ять «сл»'о l'eau don't")).toEqual(["обєкт", "память"]);
  expect(unhyphenated('צה״ל מע"מ צ׳ק ("שרת")')).toEqual(["צהל", "מעמ", "צק"]);
});

test("a word of Arabic with an article is also the word without it", () => {
  expect(wordsOf("الإعدادات والخادم للتثبيت اله")).toEqual([
    { text: "الاعدادات", parts: ["اعدادات"] },
    { text: "والخادم", parts: ["خادم"] },
    { text: "للتثبيت", parts: ["تثبيت"] },
    { text: "اله", parts: [] },
  ]);
});

test("umlauts have two spellings", () => {
  expect(transcribed("Schlüssel")).toEqual(["schluessel"]);
  expect(transcribed("Schluessel")).toEqual(["schlussel"]);
  expect(transcribed("plain")).toEqual([]);
});

test("characters that nobody sees are no part of a text", () =>
  expect(visible("Daten\u00adbank\u200b\u2060\ufeff")).toBe("Datenbank"));

const loadFrom =
  (site: PublishedSite) =>
  (key: string): Promise<unknown> => {
    const text = site.files.get(`docs-hosting-search/${key}.js`)?.toString() ?? "";
    return Promise.resolve((JSON.parse(/\.push\((.*)\)\n$/s.exec(text)?.[1] ?? "") as unknown[])[1]);
  };

describe("a site finds", () => {
  const page = (text: string, lang = "en"): string =>
    `<html lang="${lang}"><title>T</title><p>${text}</p></html>`;
  test.for([
    ["2.4", "v2.4 of gardens", "v4.2 of gardens, step 2 of 4"],
    ["2.4.0", "v2.4 of gardens", "v4.2 of gardens, 0 errors"],
    ["v10", "Fixed in v10.0-rc.1", "Fixed in v1.0-rc.1"],
    ["10", "Since v10 of gardens", "Since v1 of gardens"],
    ["2.4.x", "supported are 2.4.x and 3.x", "supported are 4.2.x"],
    ["email", "send an e-mail", "send a letter"],
    ["می‌خواهم", "می‌خواهم", "می‌روم"],
    ["میخواهم", "می‌خواهم", "می‌روم"],
    ["می‌خواهم", "میخواهم", "میروم"],
    ["نرم‌افزار", "نرمافزار", "افزار"],
    ["نرمافزار", "نرم‌افزار", "افزار"],
    ["об'єкт", "новий об’єкт", "новий предмет"],
    ["обєкт", "новий об'єкт", "новий предмет"],
    ["обʼєкт", "новий об'єкт", "новий предмет"],
    ["צהל", "ארגון צה״ל", "ארגון אחר"],
    ['צה"ל', "ארגון צהל", "ארגון אחר"],
    ["데이터베이스", "데이터 베이스", "데이터"],
    ["데이터 베이스", "데이터베이스", "자료"],
    ["إعدادات", "قائمة الإعدادات", "قائمة"],
    ["الإعدادات", "قائمة إعدادات", "قائمة"],
    ["filesystem", "the file system is full", "the file is full"],
    ["time-out", "a timeout of ten seconds", "a pause of ten seconds"],
    ["endtoend", "an end-to-end test", "a test"],
    ["end-to-end", "an endtoend test", "a test"],
    ["man-in-the-middle", "a maninthemiddle reads it", "a reader reads it"],
    ["point‑to‑point", "a pointtopoint link", "a link"],
    ["Schluessel", "der Schlüssel", "die Tür"],
    ["都", "東京都です", "京です"],
  ] as const)("%s in «%s» first", async ([query, text, other]) => {
    const site = await publishedSite({ "a.html": page(other), "b.html": page(text) });
    expect((await find(site, query, "en"))[0]?.path).toBe("b.html");
  });

  test.for([
    [3, 4],
    [4, 4],
    [0, 1],
  ] as const)(
    "a word that %i pages have: %i pages, with one that has it as two if they are few",
    async ([having, found]) => {
      const pages = Array.from({ length: having }, (_, at): [string, string] => [
        `${at}.html`,
        page(`the filesystem ${at} is full`),
      ]);
      const site = await publishedSite({
        ...Object.fromEntries(pages),
        "two.html": page("the file system is full"),
        "other.html": page("another"),
      });
      expect(await find(site, "filesystem", "en")).toHaveLength(found);
    },
  );

  test("an Arabic word with its article and without it, if a site has both", async () => {
    const site = await publishedSite({
      "a.html": page("قائمة إعدادات", "ar"),
      "b.html": page("قائمة الإعدادات", "ar"),
    });
    for (const query of ["الإعدادات", "إعدادات"]) {
      expect((await find(site, query, "ar")).map(({ path }) => path).sort()).toEqual(["a.html", "b.html"]);
    }
  });

  test("both spellings of an umlaut, if a site has both", async () => {
    const site = await publishedSite({ "a.html": page("die Tuer", "de"), "b.html": page("die Tür", "de") });
    const paths = async (query: string): Promise<string[]> =>
      (await find(site, query, "de")).map(({ path }) => path).sort();
    expect(await paths("Tuer")).toEqual(["a.html", "b.html"]);
    expect(await paths("Tür")).toEqual(["a.html", "b.html"]);
  });

  test("the section with a version before one with a longer one that begins with it", async () => {
    const sections = ["2.4.7", "2.4", "2.4.8"].map(
      (version, at) => `<h2 id="s${at}">Set</h2><p>since ${version}`,
    );
    const site = await publishedSite({ "a.html": page(sections.join("")) });
    expect((await find(site, "2.4", "en"))[0]?.anchor).toBe("s1");
  });

  test("the page's own variant of a language first, then the others", async () => {
    const site = await publishedSite({
      "pt-br/a.html": page("arquivo comum", "pt-BR"),
      "pt-pt/a.html": page("ficheiro comum", "pt-PT"),
      "en/a.html": page("common", "en"),
    });
    const languages = [...languagesOf(site)];
    const paths = async (own: string, query: string): Promise<string[]> =>
      (await searchLanguages(query, languages, own, loadFrom(site))).map(({ path }) => path);
    expect(await paths("pt-pt", "comum")).toEqual(["pt-pt/a.html", "pt-br/a.html"]);
    expect(await paths("pt-br", "comum")).toEqual(["pt-br/a.html", "pt-pt/a.html"]);
    expect(await paths("pt-br", "common")).toEqual(["en/a.html"]);
  });

  test("the variant first whose name has most of that of the page's", async () => {
    const site = await publishedSite({
      "cyrl/a.html": page("server", "sr-Cyrl"),
      "latn/a.html": page("server", "sr-Latn"),
    });
    const first = async (own: string): Promise<string | undefined> =>
      (await searchLanguages("server", [...languagesOf(site)], own, loadFrom(site)))[0]?.path;
    expect(await first("sr-latn-rs")).toBe("latn/a.html");
    expect(await first("sr-cyrl-me")).toBe("cyrl/a.html");
    expect(await first("sr")).toBe("cyrl/a.html");
    const chinese = await publishedSite({
      "cn/a.html": page("server", "zh-CN"),
      "hk/a.html": page("server", "zh-HK"),
    });
    const found = await searchLanguages("server", [...languagesOf(chinese)], "zh-tw", loadFrom(chinese));
    expect(found.map(({ path }) => path)).toEqual(["hk/a.html", "cn/a.html"]);
  });

  test.for([
    ["es-mx", ["es", "es-419"], "es-419"],
    ["es-ar", ["es-es", "es-419", "es-mx"], "es-419"],
    ["es-es", ["es-419", "es"], "es"],
    ["es", ["es-419", "es-es"], "es-es"],
    ["pt-ao", ["pt-br", "pt-pt"], "pt-pt"],
    ["pt-mz", ["pt", "pt-pt"], "pt-pt"],
    ["pt", ["pt-br", "pt-pt"], "pt-br"],
    ["en-in", ["en", "en-gb"], "en-gb"],
    ["en-ph", ["en-gb", "en-us"], "en-us"],
    ["fr-be", ["fr-ca", "fr-fr"], "fr-fr"],
    ["de-li", ["de", "de-ch"], "de-ch"],
    ["zh-sg", ["zh-tw", "zh-cn"], "zh-cn"],
    ["zh-mo", ["zh-cn", "zh-tw", "zh-hk"], "zh-hk"],
    ["zh-hant-mo", ["zh-hant", "zh-hant-hk"], "zh-hant-hk"],
    ["zh-hans-hk", ["zh-hant", "zh-hans"], "zh-hans"],
  ] as const)("for %s, of %s the one that is nearest", async ([own, languages, nearest]) => {
    const asked: string[] = [];
    const load = (key: string): Promise<never> => {
      asked.push(key);
      return Promise.reject(new Error("asked"));
    };
    const indexes = languages.map((language) => [language, language] as const);
    await expect(searchLanguages("server", indexes, own, load)).rejects.toThrow("asked");
    expect(asked).toEqual([nearest]);
  });
});
