// On every page: the button, the shortcuts, and the site's own search boxes. Loads the rest when a reader opens the search.
import { element, ownScript, part, runScript } from "./builtIn";
import "./settings";

const settings = window.docsHostingSearchSettings;
const own = ownScript("load.js");
const OPENERS = settings.openFrom.join();

let pending = false;
// a property of its own: an element with this id is found only where the window has none
if (!Object.hasOwn(window, "docsHostingSearchOpen")) window.docsHostingSearchOpen = undefined;

/** @param query text that the reader has typed already */
function open(query = ""): void {
  if (window.docsHostingSearchOpen) return window.docsHostingSearchOpen(query);
  if (pending || !own) return;
  pending = true;
  void runScript(own.folder + settings.box).then(
    () => window.docsHostingSearchOpen?.(query),
    () => (pending = false),
  );
}

const EDITABLE = "input,textarea,select,[contenteditable]:not([contenteditable=false])";

/** The site's own search box that an event belongs to. */
function openerOf(event: Event): Element | null {
  const [target] = event.composedPath();
  return target instanceof Element ? Element.prototype.closest.call(target, OPENERS) : null;
}

function take(event: Event, query = ""): void {
  if (!own) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  open(query);
}

// on the window and before all others: sites listen on the document, and some stop what they do not know yet
addEventListener(
  "keydown",
  (event) => {
    const { key, ctrlKey, metaKey, altKey, isComposing } = event;
    const [target] = event.composedPath();
    if (isComposing || altKey) return;
    const isTyping = target instanceof Element && Element.prototype.matches.call(target, EDITABLE);
    const isPlain = !ctrlKey && !metaKey;
    const isShortcut = isPlain ? key === "/" && !isTyping : key.toLowerCase() === "k" && !event.shiftKey;
    if (settings.shortcuts && isShortcut) take(event);
    else if (isPlain && openerOf(event) && (key.length === 1 || key === "Enter"))
      take(event, isTyping && key !== " " && key.length === 1 ? key : "");
  },
  true,
);
for (const type of ["pointerdown", "mousedown", "click"]) {
  addEventListener(
    type,
    (event) => {
      if (!openerOf(event)) return;
      if (type === "click") take(event);
      else event.stopImmediatePropagation();
    },
    true,
  );
}

if (own && settings.button) {
  const style = element("link", { rel: "stylesheet", href: own.folder + settings.style });
  const names = { class: "docs-hosting-search-button", "aria-label": "Search this copy" };
  const icon = element("span", { class: "icon" });
  const button = element("button", { type: "button", "aria-haspopup": "dialog", ...names }, icon);
  button.addEventListener("click", () => open());
  // routers that replace the page's body leave what stands behind it
  const add = (): void => {
    if (!style.isConnected) part("head").append(style);
    if (!button.isConnected) part("documentElement").append(button);
  };
  style.onload = add;
  part("head").append(style);
  addEventListener("load", () =>
    new MutationObserver(add).observe(part("documentElement"), { childList: true }),
  );
}
if (own?.script.dataset["open"] !== undefined) open();
