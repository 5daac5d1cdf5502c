import { relativeUrl } from "./addresses.ts";
import type { Heading } from "./anchors.ts";
import { type Markup, markup } from "./markup.ts";
import type { Navigation } from "./navigation.ts";
import type { Page } from "./page.ts";

/** The values that all pages of a site share. */
export interface SiteFrame {
  readonly name: string;
  /** BCP 47 tag of the language of the pages. */
  readonly language: string;
  readonly navigation: Navigation;
  /** Addresses in the site. */
  readonly startPage: string;
  readonly icon: string;
  readonly stylesheet: string;
  readonly script: string;
}

export interface PageContent {
  readonly address: string;
  readonly title: string;
  readonly description: string;
  readonly body: Markup;
  readonly headings: readonly Heading[];
  /** Undefined for pages that are not in the source, such as the one for a wrong address. */
  readonly page: Page | undefined;
}

/** Deeper headings would make the list longer than the page. */
const LISTED_HEADING_LEVELS = [2, 3];

/** A list of one entry is useless. */
const FEWEST_LISTED_HEADINGS = 2;

export function renderDocument(content: PageContent, frame: SiteFrame): string {
  const url = (address: string) => relativeUrl(content.address, address);
  const title = content.title === frame.name ? frame.name : `${content.title} | ${frame.name}`;
  const listed = content.headings.filter(({ level }) => LISTED_HEADING_LEVELS.includes(level));
  const hasContents = listed.length >= FEWEST_LISTED_HEADINGS;
  const description =
    content.description !== "" && markup`<meta name="description" content="${content.description}">\n`;
  return markup`<!doctype html>
<html lang="${frame.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
${description}<meta name="color-scheme" content="light dark">
<link rel="icon" type="image/svg+xml" href="${url(frame.icon)}">
<link rel="stylesheet" href="${url(frame.stylesheet)}">
<script src="${url(frame.script)}" defer></script>
</head>
<body>
<a class="skip-link" href="#content">Skip to content</a>
<header class="site-header">
<button class="menu-button" type="button" popovertarget="site-navigation">Menu</button>
<a class="site-name" href="${url(frame.startPage)}">${frame.name}</a>
<div class="site-search" role="search" hidden><button type="button">Search</button></div>
</header>
<div class="layout">
<nav id="site-navigation" class="site-navigation" aria-label="Pages" popover>
<p><button class="close-button" type="button" popovertarget="site-navigation" popovertargetaction="hide">Close</button></p>
${frame.navigation.render(content.address)}</nav>
<main id="content" tabindex="-1">
<div class="page-top">
${content.page && breadcrumbs(content.page, frame.navigation, url)}${hasContents && CONTENTS_BUTTON}</div>
<article>
${content.body}</article>
${content.page && neighbours(content.page, frame.navigation, url)}</main>
${hasContents && contents(listed)}</div>
</body>
</html>
`.source;
}

type UrlOf = (address: string) => string;

function breadcrumbs(page: Page, navigation: Navigation, url: UrlOf): Markup | undefined {
  const trail = navigation.trail(page);
  if (trail.length === 0) return undefined;
  const steps = trail.map(({ title, page: folderPage }) =>
    folderPage
      ? markup`<li><a href="${url(folderPage.address)}">${title}</a></li>`
      : markup`<li>${title}</li>`,
  );
  return markup`<nav class="breadcrumbs" aria-label="Breadcrumbs">
<ol>${steps}<li aria-current="page">${page.title}</li></ol>
</nav>
`;
}

function neighbours(page: Page, navigation: Navigation, url: UrlOf): Markup {
  const link = (neighbour: Page | undefined, rel: string, label: string) =>
    neighbour &&
    markup`<a class="${rel}" rel="${rel}" href="${url(neighbour.address)}"><span>${label}</span>${neighbour.title}</a>\n`;
  return markup`<nav class="neighbours" aria-label="Previous and next page">
${link(navigation.previous(page), "prev", "Previous")}${link(navigation.next(page), "next", "Next")}</nav>
`;
}

/** Opens the list where there is no room for it beside the text. */
const CONTENTS_BUTTON = markup`<button class="contents-button" type="button" popovertarget="page-contents">On this page</button>\n`;

function contents(headings: readonly Heading[]): Markup {
  const entries = headings.map(
    ({ level, text, id }) =>
      markup`<li class="level-${level}"><a href="#${encodeURIComponent(id)}">${text}</a></li>\n`,
  );
  return markup`<nav id="page-contents" class="page-contents" aria-labelledby="page-contents-title" popover>
<p id="page-contents-title">On this page</p>
<ul>
${entries}</ul>
</nav>
`;
}
