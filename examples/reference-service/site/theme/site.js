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

  const addCopyButtons = () => {
    if (!navigator.clipboard) return; // pages opened over plain http: or from disk
    for (const block of document.querySelectorAll(".code")) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "copy-button";
      button.textContent = "Copy";
      button.addEventListener("click", async () => {
        await navigator.clipboard.writeText(block.querySelector("code").textContent);
        button.textContent = "Copied";
        setTimeout(() => (button.textContent = "Copy"), 2000);
      });
      block.append(button);
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
  addCopyButtons();
  followReading();
})();
