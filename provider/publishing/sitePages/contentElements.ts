import {
  type Attribute,
  classesLeftOut,
  elementsLeftOut,
  isMainPart,
  isMenuButton,
  isPanel,
  isRelated,
  isSidebar,
  rolesLeftOut,
} from "./contentTable";

const NEVER = elementsLeftOut("search", "everywhere");
/** Elements whose text is not content outside of the main part, unless it is the header of a section. */
const AROUND = elementsLeftOut("search", "outsideMain");
const AROUND_ROLE = rolesLeftOut("search", "outsideMain");
const PASSING = elementsLeftOut("search", "hidden");
const PASSING_ROLE = rolesLeftOut("search", "hidden");
const AROUND_CLASS = classesLeftOut("search", "everywhere");
const COLUMN = classesLeftOut("search", "outsideMain");
/** What a link of its page leads to is content, if it is one of these: the panel of a tab. */
const LINKED = new Set(["div", "section", "article", "dd", "li"]);
/** Classes and attributes of buttons that name a tab or a part of an accordion, in sites that do not use roles. */
const OPENER =
  /^(?:[\w-]*[-_])?(?:tab|tabs?[-_]*(?:link|button|btn|label|item|title|header|trigger|control)s?|accordion(?:[-_]*(?:button|btn|label|item|title|header|heading|trigger|toggle))?|collapsible)$/i;
const TOGGLED = /^(?:tab|pill|collapse)$/i;
/** Most ids of panels that are remembered. */
const MOST_PANELS = 5_000;

/** Where an element is. */
interface Surroundings {
  readonly isInMain: boolean;
  readonly isInHeading: boolean;
  readonly isInSection: boolean;
}

/** Tells which elements of a page have content, which a reader can see or open. */
export class ContentElements {
  /** Ids of elements that others of the page open. */
  readonly #panels = new Set<string>();
  /** Ids that links of the page lead to. */
  readonly #linked = new Set<string>();

  /** Remembers what an element opens or leads to: a panel of a tab or of an accordion, but no menu. */
  note(attribute: Attribute): void {
    if (this.#panels.size + this.#linked.size >= MOST_PANELS) return;
    const opened = isMenuButton(attribute) ? undefined : attribute("aria-controls");
    for (const id of opened?.split(/\s+/) ?? []) this.#panels.add(id);
    for (const name of ["href", "data-target", "data-bs-target"]) {
      const link = attribute(name);
      if (link?.startsWith("#") === true) this.#linked.add(link.slice(1));
    }
  }

  /** Whether the text of an element is not content. */
  isLeftOut(
    tag: string,
    attribute: Attribute,
    { isInMain, isInHeading, isInSection }: Surroundings,
  ): boolean {
    if (tag === "template" && attribute("shadowrootmode") !== undefined) return false; // browsers show it
    if (NEVER.has(tag) || attribute("data-pagefind-ignore") !== undefined) return true;
    const role = attribute("role") ?? "";
    if (attribute("hidden") !== undefined && (PASSING.has(tag) || PASSING_ROLE.test(role))) return true;
    if (attribute("aria-hidden") === "true" && !this.#isPanel(tag, role, attribute)) return true;
    if (tag === "button") return !isInHeading && !isDisclosure(role, attribute);
    const classes = attribute("class") ?? "";
    const isAround =
      AROUND_CLASS.test(classes) ||
      (isRelated(classes) && tag !== "table") ||
      (isSidebar(classes) && tag !== "aside");
    if (isAround) return !isMainPart(tag, attribute);
    if (isInMain) return false;
    if (COLUMN.test(classes)) return true;
    return (AROUND.has(tag) && !(tag === "header" && isInSection)) || AROUND_ROLE.test(role);
  }

  /** Whether an element is the content of a tab or of an accordion. */
  #isPanel(tag: string, role: string, attribute: Attribute): boolean {
    if (isPanel(role, attribute)) return true;
    const id = attribute("id") ?? "";
    return this.#panels.has(id) || (LINKED.has(tag) && this.#linked.has(id));
  }
}

/** Whether a button is the name of a tab or of a part of an accordion. */
export function isDisclosure(role: string, attribute: Attribute): boolean {
  if (/^tab$/i.test(role)) return true;
  if (isMenuButton(attribute)) return false;
  if (attribute("aria-expanded") !== undefined || attribute("aria-controls") !== undefined) return true;
  if (TOGGLED.test(attribute("data-bs-toggle") ?? attribute("data-toggle") ?? "")) return true;
  return (attribute("class") ?? "").split(/\s+/).some((name) => OPENER.test(name));
}

/** Whether an element is hidden until it is opened in a way that no address does. */
export function isHidden(attribute: Attribute): boolean {
  const hidden = attribute("hidden");
  return hidden !== undefined && !/^until-found$/i.test(hidden);
}
