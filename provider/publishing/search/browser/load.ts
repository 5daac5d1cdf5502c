// On every page: the button, the shortcuts, and the site's own search boxes. Loads the rest when a reader opens the search.
import "./settings";
import { languageOfPage, textsLanguageOf } from "../languageVariants";
import { element, isComposing, ownScript, part, runScript, scriptsIn } from "./builtIn";

const settings = window.docsHostingSearchSettings;
const script = ownScript("load.js");
const OPENERS = settings.openFrom.join();

let pending = false;
// a property of its own: an element with this id is found only where the window has none
if (!Object.hasOwn(window, "docsHostingSearchOpen")) window.docsHostingSearchOpen = undefined;
// one policy, also if a router runs this script again
if (script && !Object.hasOwn(window, "docsHostingSearchScript")) {
  window.docsHostingSearchScript = scriptsIn(script.folder);
}
// where no script can be named, there is no button, and the site's own search box stays as it is
const own = window.docsHostingSearchScript ? script : undefined;
const nonce = own?.script.nonce ?? "";

/** @param query text that the reader has typed already */
function open(query = ""): void {
  if (window.docsHostingSearchOpen) return window.docsHostingSearchOpen(query);
  if (pending || !own) return;
  pending = true;
  void runScript(own.folder + settings.box, nonce).then(
    () => window.docsHostingSearchOpen?.(query),
    () => (pending = false),
  );
}

const { labels } = settings;
const language = textsLanguageOf(languageOfPage(part("documentElement").lang));
const LABEL = (Object.hasOwn(labels, language) ? labels[language] : labels["en"]) ?? "";

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
    const { key, code, ctrlKey, metaKey, altKey } = event;
    const [target] = event.composedPath();
    if (isComposing(event) || altKey) return;
    const isTyping = target instanceof Element && Element.prototype.matches.call(target, EDITABLE);
    const isPlain = !ctrlKey && !metaKey;
    // on keyboards without Latin letters, by the place of the key
    const isK = /^\p{sc=Latin}$/u.test(key) ? key.toLowerCase() === "k" : code === "KeyK";
    const isShortcut = isPlain ? key === "/" && !isTyping : isK && !event.shiftKey;
    if (settings.shortcuts && isShortcut) take(event);
    else if (isPlain && openerOf(event) && (key.length === 1 || key === "Enter")) {
      take(event, isTyping && key !== " " && key.length === 1 ? key : "");
    }
  },
  true,
);
// what an input method has written into the site's own search box is searched for
addEventListener(
  "compositionend",
  (event) => {
    const [target] = event.composedPath();
    if (openerOf(event) && target instanceof HTMLInputElement) setTimeout(() => open(target.value));
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
  const style = element("link", { rel: "stylesheet", nonce, href: own.folder + settings.style });
  const names = { class: "docs-hosting-search-button", "aria-label": LABEL, title: LABEL };
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
