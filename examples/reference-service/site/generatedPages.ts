import { markup } from "./markup.ts";
import type { PageContent, SiteFrame } from "./pageTemplate.ts";

/** A page that every site needs and that is generated when the source has none. */
export interface GeneratedPage {
  readonly address: string;
  readonly render: (frame: SiteFrame) => PageContent;
}

export const generatedStartPage: GeneratedPage = {
  address: "index.html",
  render: ({ name, navigation }) => ({
    address: generatedStartPage.address,
    title: name,
    description: "",
    headings: [],
    page: undefined,
    body: markup`<h1>${name}</h1>\n${navigation.render(generatedStartPage.address)}`,
  }),
};

/**
 * For servers that show the site's own page for a wrong address. It has relative URLs only, like all pages, so that it is plain
 * text at an address in a sub-folder: a site that does not know its address cannot do better.
 */
export const generatedNotFoundPage: GeneratedPage = {
  address: "404.html",
  render: () => ({
    address: generatedNotFoundPage.address,
    title: "Page not found",
    description: "",
    headings: [],
    page: undefined,
    body: markup`<h1>Page not found</h1>
<p>There is no page at this address. It may have been moved; the list of pages leads to all there are.</p>
`,
  }),
};
