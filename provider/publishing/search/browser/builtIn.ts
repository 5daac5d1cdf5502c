// What a page can name is never read as a part of the browser: an `<img name="currentScript">` of a page's author comes before the
// built-in `document.currentScript`, and a field with the name `closest` before the method of its form.

/** Parts of the document that the search reads. */
type BuiltInPart = "body" | "currentScript" | "documentElement" | "head";

/** A part of the document, whatever the page's elements are called. */
export function part<Name extends BuiltInPart>(name: Name): Document[Name] {
  return Reflect.get(Document.prototype, name, document);
}

/** Creates an element, whatever the page's elements are called. Texts of pages become text only, never markup. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string>>,
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const create: (name: Name) => HTMLElementTagNameMap[Name] = Reflect.get(
    Document.prototype,
    "createElement",
  );
  const made = create.call(document, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** Whether an event belongs to an input method, which needs Enter and the arrows itself. In Safari, only the old code tells. */
export function isComposing(event: KeyboardEvent): boolean {
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- nothing else tells it in Safari
  return event.isComposing || event.keyCode === COMPOSING;
}
/** What `keyCode` is for a key that an input method has taken. */
const COMPOSING = 229;

/** Name of the policy of Trusted Types. */
const POLICY = "docs-hosting-search";

/**
 * How the scripts of a folder are named to a browser that asks for Trusted Types. The policy accepts no others, so that pages cannot
 * use it.
 *
 * @returns undefined if the browser asks for them, and a content security policy allows policies of other names only
 */
export function scriptsIn(folder: string): ((src: string) => string) | undefined {
  try {
    const policy = window.trustedTypes?.createPolicy(POLICY, {
      createScriptURL(src) {
        if (new URL(src).href.startsWith(folder)) return src;
        throw new TypeError(`${src} is no script of the search`);
      },
    });
    if (policy) return (src) => policy.createScriptURL(src);
  } catch {
    // other names only: whether it asks for Trusted Types shows an element that loads nothing, as it is in no document
    try {
      element("script", { src: folder });
    } catch {
      return undefined;
    }
  }
  return (src) => src;
}

/** Runs a script of the search. */
export function runScript(src: string, nonce: string): Promise<void> {
  const script = element("script", { nonce, src: window.docsHostingSearchScript?.(src) ?? src });
  const ran = new Promise<void>((resolve, reject) => {
    script.onload = (): void => resolve();
    script.onerror = (): void => reject(new Error(src));
  });
  part("head").append(script);
  return ran.finally(() => script.remove());
}

/**
 * The folder of the script that runs now, if it is a script of this name. Programs that load all scripts of a page later, such as
 * those of some hosts, set `document.currentScript` themselves: it counts if it is a script.
 */
export function ownScript(
  file: string,
): { readonly script: HTMLScriptElement; readonly folder: string } | undefined {
  for (const script of [part("currentScript"), document.currentScript]) {
    if (!(script instanceof HTMLScriptElement)) continue;
    const { pathname } = new URL(script.src, location.href);
    if (pathname.endsWith(`/${file}`)) return { script, folder: new URL(".", script.src).href };
  }
  return undefined;
}
