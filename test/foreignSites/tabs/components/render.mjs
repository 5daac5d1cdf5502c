// Pages as component libraries render them on a server: what a generator writes that uses them.
import { mkdirSync, writeFileSync } from "node:fs";
import * as RadixAccordion from "@radix-ui/react-accordion";
import * as RadixTabs from "@radix-ui/react-tabs";
import { Accordion, AccordionDetails, AccordionSummary, Tab, Tabs } from "@mui/material";
import nunjucks from "nunjucks";
import { createElement as h } from "react";
import * as bootstrap from "react-bootstrap";
import { renderToStaticMarkup } from "react-dom/server";

function write(name, tabs, questions) {
  const body =
    `<h1>Fruit</h1><p>Introduction.</p><h2 id="install-fruit">Install fruit</h2>${tabs}` +
    `<h2 id="questions-here">Questions here</h2>${questions}<h2 id="after-it">After it</h2><p>aftertext</p>`;
  mkdirSync(`site/${name}`, { recursive: true });
  writeFileSync(
    `site/${name}/index.html`,
    `<!doctype html><html lang="en"><head><title>Fruit</title></head><body><main>${body}</main></body></html>`,
  );
}

const macros = nunjucks.configure("node_modules/govuk-frontend/dist");
const govuk = (component, name, options) =>
  macros.renderString(
    `{% from "govuk/components/${component}/macro.njk" import ${name} %}{{ ${name}(options) }}`,
    { options },
  );
write(
  "govuk",
  govuk("tabs", "govukTabs", {
    items: [
      { label: "Appletab", id: "apple", panel: { html: "<p>appletext</p>" } },
      { label: "Peartab", id: "pear", panel: { html: "<p>peartext</p>" } },
    ],
  }),
  govuk("accordion", "govukAccordion", {
    id: "accordion",
    items: [{ heading: { text: "Plumsummary" }, content: { html: "<p>plumtext</p>" } }],
  }) + govuk("details", "govukDetails", { summaryText: "Cherrysummary", text: "cherrytext" }),
);

const render = (...elements) => elements.map((element) => renderToStaticMarkup(element)).join("");
write(
  "radix",
  render(
    h(
      RadixTabs.Root,
      { defaultValue: "a" },
      h(
        RadixTabs.List,
        null,
        h(RadixTabs.Trigger, { value: "a" }, "Appletab"),
        h(RadixTabs.Trigger, { value: "b" }, "Peartab"),
      ),
      h(RadixTabs.Content, { value: "a" }, "appletext"),
      h(RadixTabs.Content, { value: "b", forceMount: true }, "peartext"),
    ),
  ),
  render(
    h(
      RadixAccordion.Root,
      { type: "single", collapsible: true },
      h(
        RadixAccordion.Item,
        { value: "a" },
        h(RadixAccordion.Header, null, h(RadixAccordion.Trigger, null, "Plumsummary")),
        h(RadixAccordion.Content, { forceMount: true }, "plumtext"),
      ),
    ),
  ),
);

const panel = (value, text) =>
  h(
    "div",
    { role: "tabpanel", hidden: value !== 0, id: `panel-${value}`, "aria-labelledby": `tab-${value}` },
    text,
  );
write(
  "mui",
  render(
    h(
      Tabs,
      { value: 0 },
      h(Tab, { label: "Appletab", id: "tab-0", "aria-controls": "panel-0" }),
      h(Tab, { label: "Peartab", id: "tab-1", "aria-controls": "panel-1" }),
    ),
    panel(0, "appletext"),
    panel(1, "peartext"),
  ),
  render(
    h(
      Accordion,
      null,
      h(AccordionSummary, { id: "plum-header", "aria-controls": "plum-content" }, "Plumsummary"),
      h(AccordionDetails, null, "plumtext"),
    ),
  ),
);

write(
  "bootstrap",
  render(
    h(
      bootstrap.Tabs,
      { defaultActiveKey: "a", id: "fruit" },
      h(bootstrap.Tab, { eventKey: "a", title: "Appletab" }, "appletext"),
      h(bootstrap.Tab, { eventKey: "b", title: "Peartab" }, "peartext"),
    ),
  ),
  render(
    h(
      bootstrap.Accordion,
      null,
      h(
        bootstrap.Accordion.Item,
        { eventKey: "a" },
        h(bootstrap.Accordion.Header, null, "Plumsummary"),
        h(bootstrap.Accordion.Body, null, "plumtext"),
      ),
    ),
  ),
);
