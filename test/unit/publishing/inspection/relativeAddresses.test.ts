import { expect, test } from "vitest";
import { hasRelativeAddress } from "../../../../provider/publishing/inspection/relativeAddresses.ts";

test.each([
  '<a href="install.html">',
  "<a href='../a'>",
  "<img alt=x src=a.png>",
  '<img srcset="/a.png 1x, b.png 2x">',
  '<html data-content_root="./">',
  "<script>load('../search.js')</script>",
  "<style>body{background:url(a.png)}</style>",
  '<base href="../"><a href="/b">',
  '<form action="search">',
  '<svg><use xlink:href="icons.svg#a"/></svg>',
  '<img data-src="a.png" alt="loaded by a script"><div hx-get="/a" data-href="part.html"></div>',
  '<noscript><meta http-equiv="refresh" content="0; url=install/start.html"></noscript>',
  "<meta http-equiv=refresh content=\"0;URL='install.html'\">",
  '<script>window.location = "install/start.html"</script>',
  "<script>location.replace('install.html' + location.hash)</script>",
  '<style>@import "theme.css";</style>',
])("%s depends on the page's own address", (html) => {
  expect(hasRelativeAddress(Buffer.from(html))).toBe(true);
  expect(hasRelativeAddress(Buffer.from(`\ufeff${html}`, "utf16le"))).toBe(true);
});

test.each([
  "<p>text ../with dots</p>",
  '<a href="/docs/install"><a href="#top"><a href="?page=2"><a href="">',
  '<a href="https://example.com/a"><a href="//example.com/a"><a href="mailto:a@example.com">',
  '<img src="data:image/png;base64,AAAA" srcset="/a.png 1x, /b.png 2x">',
  '<base href="/docs/"><a href="install.html">',
  '<meta http-equiv="refresh" content="0; url=/install"><meta http-equiv="refresh" content="0; url=https://example.com/">',
  '<script>location.replace("/install"); location.href = "#top"; location = "https://example.com"</script>',
  '<style>@import "/theme.css"; @import url("/a.css");</style><p data-title="install.html">',
  "<style>body{background:url(/a.png)} i{background:url('#x')}</style>",
])("%s does not", (html) => {
  expect(hasRelativeAddress(Buffer.from(html))).toBe(false);
});
