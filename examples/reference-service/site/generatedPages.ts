import { markup } from "./markup.ts";
import type { PageContent, SiteFrame } from "./pageTemplate.ts";

/** A page that every site needs and that is made up when the source does not bring its own. */
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
 * For servers that show a page of the site's own at a wrong address. Like all others it has relative URLs only, so at an
 * address in a sub-folder it is plain text: a site that does not know where it is served can do no better.
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
