// The sections of a long page that have a word, as the index writes them behind the page's score. Runs in browsers, too.

/** Most sections of a page that one word lists: more tell nothing. */
export const MOST_PLACES = 200;
/** A word that results can quote from so many sections of a page does not list the others. */
export const MOST_SEEN = 1;
/** Sections in one file of further sections of a page. */
export const FURTHER_SECTIONS = 100;

/** The last digit of a number, and the digits before it: no letters and digits, which are pages and scores. */
const LAST = "!#$%&'()*+,-./:;<=>?@[]^";
const BEFORE = "_`{|}~";

/** @param sections numbers in ascending order */
export function encodedPlaces(sections: readonly number[]): string {
  return sections
    .map((section, at) => {
      let distance = section - (sections[at - 1] ?? -1) - 1;
      let text = LAST[distance % LAST.length] ?? "";
      distance = Math.floor(distance / LAST.length);
      for (; distance > 0; distance = Math.floor((distance - 1) / BEFORE.length))
        text = (BEFORE[(distance - 1) % BEFORE.length] ?? "") + text;
      return text;
    })
    .join("");
}

export function decodedPlaces(text: string): number[] {
  const sections: number[] = [];
  let [before, distance] = [-1, 0];
  for (const character of text) {
    const last = LAST.indexOf(character);
    if (last < 0) {
      distance = distance * BEFORE.length + BEFORE.indexOf(character) + 1;
      continue;
    }
    before += distance * LAST.length + last + 1;
    sections.push(before);
    distance = 0;
  }
  return sections;
}
