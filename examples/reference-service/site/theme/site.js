// Optional: every page can be read and reached without this file.
(() => {
  "use strict";

  /** Long navigation: scrolls to the reader's page. */
  const showCurrentPage = () => {
    const navigation = document.getElementById("site-navigation");
    const current = navigation?.querySelector("[aria-current]");
    if (!navigation || !current) return;
    const offset = current.getBoundingClientRect().top - navigation.getBoundingClientRect().top;
    if (offset > navigation.clientHeight * 0.7) navigation.scrollTop += offset - navigation.clientHeight / 2;
  };

  /** A copy of the site may contain a search, which opens from the box in the header. Without one there is no box. */
  const showSearch = () => {
    const box = document.querySelector(".site-search");
    const search = window.docsHostingSearchSettings;
    if (!box || !Array.isArray(search?.openFrom)) return;
    box.hidden = false;
    if (search.shortcuts) box.firstElementChild.setAttribute("aria-keyshortcuts", "/");
  };

  /** @returns whether the text is in the clipboard */
  const copy = async (code) => {
    if (navigator.clipboard) {
      const isCopied = await navigator.clipboard.writeText(code.textContent).then(
        () => true,
        () => false,
      );
      if (isCopied) return true;
    }
    // on hosts of plain http: the text is selected, and stays so if this fails, too
    getSelection().selectAllChildren(code);
    return document.execCommand("copy");
  };

  const addCopyButtons = () => {
    for (const block of document.querySelectorAll(".code")) {
      const code = block.querySelector("code");
      const button = document.createElement("button");
      const name = (text, label) => {
        button.textContent = text;
        button.setAttribute("aria-label", label);
      };
      button.type = "button";
      button.className = "copy-button";
      name("Copy", "Copy the code");
      button.addEventListener("click", async () => {
        if (await copy(code)) name("Copied", "Copied the code");
        else name("Press Ctrl-C", "Press Ctrl-C: the code is selected");
        setTimeout(() => name("Copy", "Copy the code"), 2000);
      });
      block.prepend(button);
    }
  };

  /** Marks the section that is being read in the list beside the page. */
  const followReading = () => {
    const links = new Map();
    for (const link of document.querySelectorAll(".page-contents a")) {
      const heading = document.getElementById(decodeURIComponent(link.hash.slice(1)));
      if (heading) links.set(heading, link);
    }
    const mark = () => {
      let reading;
      for (const heading of links.keys()) {
        if (reading && heading.getBoundingClientRect().top > innerHeight / 4) break;
        reading = heading;
      }
      for (const [heading, link] of links) {
        if (heading === reading) link.setAttribute("aria-current", "true");
        else link.removeAttribute("aria-current");
      }
    };
    let waiting = false;
    const markSoon = () => {
      if (waiting) return;
      waiting = true;
      requestAnimationFrame(() => {
        waiting = false;
        mark();
      });
    };
    if (links.size > 0) {
      addEventListener("scroll", markSoon, { passive: true });
      mark();
    }
  };

  showCurrentPage();
  document.getElementById("site-navigation")?.addEventListener("toggle", showCurrentPage);
  const contents = document.getElementById("page-contents");
  contents?.addEventListener("click", ({ target }) => {
    if (target.closest("a") && contents.matches(":popover-open")) contents.hidePopover();
  });
  addCopyButtons();
  followReading();
  addEventListener("DOMContentLoaded", showSearch); // after the search's own script
})();
