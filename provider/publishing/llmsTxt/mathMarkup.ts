import { attributeOf, type ContentElement, type ContentNode, textOf } from "./contentElement";

/** Elements with scripts, and the marks of these. */
const SCRIPTS: Readonly<Record<string, readonly string[]>> = {
  msup: ["^"],
  mover: ["^"],
  msub: ["_"],
  munder: ["_"],
  msubsup: ["_", "^"],
  munderover: ["_", "^"],
};

/** TeX of MathML: a page whose formulas were drawn when it was built has nothing else of them. */
export function texOf(element: ContentElement): string {
  const { tag, children } = element;
  const mark = SCRIPTS[tag];
  if (mark !== undefined) {
    const [base = "", ...scripts] = elementsOf(element).map(texOf);
    return group(base) + scripts.map((each, at) => (mark[at] ?? "") + group(each)).join("");
  }
  switch (tag) {
    case "mi": {
      const name = plain(element);
      return name.length > 1 && /^[A-Za-z]+$/.test(name) ? `\\operatorname{${name}}` : name;
    }
    case "mn":
    case "mo":
      return plain(element);
    case "mtext":
    case "ms":
      return `\\text{${plain(element)}}`;
    case "mspace":
      return " ";
    case "mfrac": {
      const [above = "", below = ""] = elementsOf(element).map(texOf);
      return `\\frac{${above}}{${below}}`;
    }
    case "mroot": {
      const [base = "", index = ""] = elementsOf(element).map(texOf);
      return `\\sqrt[${index}]{${base}}`;
    }
    case "msqrt":
      return `\\sqrt{${children.map(partOf).join("")}}`;
    case "semantics":
      return elementsOf(element).slice(0, 1).map(texOf).join("");
    case "mfenced": {
      const [opening, closing] = [attributeOf(element, "open") ?? "(", attributeOf(element, "close") ?? ")"];
      return escaped(opening) + elementsOf(element).map(texOf).join(", ") + escaped(closing);
    }
    case "mtable":
      return `\\begin{matrix} ${elementsOf(element).map(texOf).join(" \\\\ ")} \\end{matrix}`;
    case "mtr":
    case "mlabeledtr":
      return elementsOf(element).map(texOf).join(" & ");
    case "annotation":
    case "annotation-xml":
    case "mphantom":
      return "";
    default:
      return children.map(partOf).join("");
  }
}

function partOf(node: ContentNode): string {
  return typeof node === "string" ? escaped(node.trim()) : texOf(node);
}

function elementsOf({ children }: ContentElement): ContentElement[] {
  return children.filter((child) => typeof child !== "string");
}

/** The characters of an element, without those that only bind others. */
function plain(element: ContentElement): string {
  return escaped(
    textOf(element)
      .replace(/[\u2061-\u2064]/g, "")
      .trim(),
  );
}

function group(tex: string): string {
  return [...tex].length === 1 ? tex : `{${tex}}`;
}

function escaped(text: string): string {
  return text.replace(/[{}#%&_$]/g, "\\$&").replaceAll("−", "-");
}
