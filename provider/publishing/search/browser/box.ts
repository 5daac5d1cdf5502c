// The search box: a dialog with results as the reader types. Loaded when a reader opens the search for the first time.
import "./settings";
import { languageOfPage, textsLanguageOf } from "../languageVariants";
import { isDark } from "./appearance";
import { element, isComposing, ownScript, part, runScript } from "./builtIn";
import { LONGEST_QUERY, type Result } from "./query";
import { searchLanguages } from "./searchLanguages";
import { isShown, revert } from "./visibility";

const settings = window.docsHostingSearchSettings;
const own = ownScript(settings.box);
if (!own) throw new Error("the search does not find its own script");
const { folder } = own;
const { nonce } = own.script;
/** The address of the site's root. */
const site = new URL("..", folder).href;
/** The search's own page. */
const page = `${folder}index.html`;

const loading = new Map<string, Promise<unknown>>();
const loaded = new Map<string, (content: unknown) => void>();
window.docsHostingSearch = { push: ([key, content]) => loaded.get(key)?.(content) };

/** Loads a data file once, and again after a failure. */
function load(key: string): Promise<unknown> {
  const known = loading.get(key);
  if (known) return known;
  const promise = new Promise((resolve, reject) => {
    loaded.set(key, resolve);
    runScript(`${folder}${key}.js`, nonce).catch(() => {
      loading.delete(key);
      reject(new Error(key));
    });
  });
  loading.set(key, promise);
  return promise;
}

const language = (): string => languageOfPage(part("documentElement").lang);
const texts = window.docsHostingSearchTexts;
const textsLanguage = textsLanguageOf(language());
const [LABEL = "", NONE = "", FAILED = "", FOUND = "", CLOSE = ""] =
  (Object.hasOwn(texts, textsLanguage) && texts[textsLanguage]) || (texts["en"] ?? []);

const ID = "docs-hosting-search";
const input = element("input", {
  type: "search",
  role: "combobox",
  "aria-label": LABEL,
  "aria-expanded": "false",
  "aria-controls": `${ID}-results`,
  "aria-autocomplete": "list",
  autocomplete: "off",
  maxlength: String(LONGEST_QUERY),
  autocapitalize: "off",
  spellcheck: "false",
  placeholder: LABEL,
});
const list = element("div", { id: `${ID}-results`, role: "listbox", "aria-label": LABEL });
const status = element("p", { role: "status" });
const close = element("button", { type: "button", "aria-label": CLOSE }, "\u2715");
const dialog = element(
  "dialog",
  { class: ID, "aria-label": LABEL },
  element("div", {}, element("span", { class: "icon" }), input, close),
  list,
  status,
  element("p", { class: "keys", "aria-hidden": "true" }, "↑ ↓   ↵   Esc"),
);

/** Pause of a typing reader before the search runs, in milliseconds: results for the first letters would be useless. */
const PAUSE_MS = 150;
let pause: ReturnType<typeof setTimeout> | undefined;
let updated = Promise.resolve();
let asked = 0;
let active = -1;

function updateNow(): Promise<void> {
  clearTimeout(pause);
  pause = undefined;
  return (updated = update());
}

function updateSoon(): void {
  clearTimeout(pause);
  pause = setTimeout(() => void updateNow(), PAUSE_MS);
}

async function update(): Promise<void> {
  const query = input.value.slice(0, LONGEST_QUERY).trim();
  const turn = ++asked;
  if (query === "") return show([], "");
  try {
    const results = await searchLanguages(query, settings.languages, language(), (key) =>
      turn === asked ? load(key) : Promise.reject(new Error("another query")),
    );
    // a reply that took longer than the next one is not shown
    if (turn !== asked) return;
    show(results, results.length === 0 ? `${NONE} “${query}”` : `${FOUND}: ${results.length}`);
  } catch {
    if (turn === asked) show([], FAILED);
  }
}

function show(results: readonly Result[], text: string): void {
  status.textContent = text;
  const nameOf = ({ title, heading }: Result): string => `${title}\n${heading}`;
  const names = results.map(nameOf);
  const options = results.map((result, index) => {
    const isAlone = names.indexOf(nameOf(result)) === names.lastIndexOf(nameOf(result));
    return optionOf(result, index, isAlone ? "" : placeOf(result));
  });
  list.replaceChildren(...options);
  if (isBare) revert(list);
  input.setAttribute("aria-expanded", String(results.length > 0));
  activate(results.length > 0 ? 0 : -1);
}

/** What tells rows with the same names apart: where the page is. */
function placeOf({ path, anchor }: Result): string {
  const place = path.replace(/(?:^|\/)index\.html?$|\.html?$/i, "") || "/";
  return anchor === "" ? place : `${place} #${anchor}`;
}

/** @param place shown beside the names; empty for none */
function optionOf(result: Result, index: number, place: string): HTMLElement {
  const address = location.protocol === "file:" ? result.path : result.address;
  const fragment = result.anchor === "" ? "" : `#${encodeURIComponent(result.anchor)}`;
  const href = site + encodeURI(address).replace(/[?#]/g, encodeURIComponent) + fragment;
  const excerpt = result.excerpt.map(([text, isMatch]) => (isMatch ? element("mark", {}, text) : text));
  const names = [element("b", { dir: "auto" }, result.title)];
  if (result.heading !== "") names.push(element("i", { dir: "auto" }, result.heading));
  if (place !== "") names.push(element("small", { dir: "ltr" }, place));
  const option = element(
    "a",
    { id: `${ID}-${index}`, role: "option", tabindex: "-1", href },
    element("span", {}, ...names),
    element("span", { dir: "auto" }, ...excerpt),
  );
  option.addEventListener("click", () => dialog.close());
  option.addEventListener("pointermove", () => active !== index && activate(index));
  return option;
}

function activate(index: number): void {
  active = index;
  for (const [other, option] of [...list.children].entries()) {
    option.setAttribute("aria-selected", String(other === index));
  }
  const option = list.children[index];
  if (option) input.setAttribute("aria-activedescendant", option.id);
  else input.removeAttribute("aria-activedescendant");
  option?.scrollIntoView({ block: "nearest" });
}

function onKey(event: KeyboardEvent): void {
  const count = list.children.length;
  if (!dialog.open) return;
  const { key } = event;
  if (isComposing(event)) {
    // keys of an input method are neither for the box nor for the site
  } else if ((key === "ArrowDown" || key === "ArrowUp") && count > 0) {
    event.preventDefault();
    activate((active + (key === "ArrowDown" ? 1 : count - 1)) % count);
  } else if (key === "Enter" && event.composedPath()[0] === input) {
    event.preventDefault();
    // of the current text
    void (pause === undefined ? updated : updateNow()).then(() =>
      (list.children[active] as HTMLElement | undefined)?.click(),
    );
  } else if (key !== "Escape" && key !== "Tab") {
    // keys in the box are no shortcuts of the site
  } else return;
  event.stopPropagation();
}

// on the window: sites may stop events before they reach the box
const inBox = (event: Event): boolean => event.composedPath().includes(dialog);
addEventListener("keydown", (event) => inBox(event) && onKey(event), true);
addEventListener("input", (event) => event.composedPath()[0] === input && updateSoon(), true);
close.addEventListener("click", () => dialog.close());
dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());

const style = element("link", { rel: "stylesheet", nonce, href: folder + settings.style });
const isStyled = new Promise((resolve) => {
  style.onload = style.onerror = resolve;
});

/** Whether the page's own rules hid the box, so that it is shown without any rules. */
let isBare = false;

/**
 * Shows the box. It makes the rest of the page inert, so it must never stay where the reader cannot see it: if the page hides it, it
 * is shown without style, and if that is hidden, too, the search's own page opens.
 *
 * @returns whether the reader sees it
 */
function showBox(): boolean {
  if (!dialog.open) dialog.showModal();
  if (isShown(dialog, input)) return true;
  isBare = true;
  revert(dialog);
  if (isShown(dialog, input)) return true;
  dialog.close();
  if (location.href !== page) location.assign(page);
  return false;
}

window.docsHostingSearchOpen = (query): void => {
  part("documentElement").append(dialog);
  if (!style.isConnected) part("head").append(style);
  if (!dialog.open) dialog.dataset["theme"] = isDark() ? "dark" : "light";
  if (query !== "") input.value = query.slice(0, LONGEST_QUERY);
  void isStyled.then(() => {
    if (!showBox()) return;
    input.focus();
    if (query === "") input.select();
    void updateNow();
  });
};
