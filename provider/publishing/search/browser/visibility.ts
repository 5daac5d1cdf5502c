// Whether a reader sees the box: style sheets of the page, or a policy that refuses the box's own, can hide it.

/** Below this, a reader sees nothing. */
const LEAST_OPACITY = 0.1;
/** Smallest width and height of the field, in pixels. */
const LEAST_SIZE = 8;

/** Whether the open box is where a reader sees it and can use its field. */
export function isShown(dialog: HTMLElement, field: HTMLElement): boolean {
  for (const each of [dialog, field]) {
    const { opacity, visibility } = getComputedStyle(each);
    if (visibility !== "visible" || Number(opacity) < LEAST_OPACITY) return false;
  }
  const { left, top, width, height } = field.getBoundingClientRect();
  if (width < LEAST_SIZE || height < LEAST_SIZE) return false;
  // also nothing for a place outside of the window, and nothing of the box if it is clipped or takes no clicks
  const found = Document.prototype.elementFromPoint.call(document, left + width / 2, top + height / 2);
  return found !== null && dialog.contains(found);
}

/** Takes an element and all in it out of the reach of style sheets: they look as in a page without any. */
export function revert(element: HTMLElement): void {
  for (const each of [element, ...element.querySelectorAll<HTMLElement>("*")]) {
    each.style.setProperty("all", "revert", "important");
  }
}
