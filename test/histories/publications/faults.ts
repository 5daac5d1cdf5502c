/** What a store, or the disk of a folder, does in place of what it is asked. */
export const FAULTS = {
  /** It refuses: 403, EACCES. */
  refused: true,
  /** It is busy: 503. The disk is full: ENOSPC. */
  busy: true,
  /** The connection breaks before the request arrives. */
  "not arrived": true,
  /** The connection breaks after the request was carried out. */
  "no answer": true,
  /** A proxy answers with its login page and 200. */
  "login page": true,
  /** A proxy answers with its own page for what it does not know, and 404. */
  "no such page": true,
  /** A write is confirmed, and lost. A removal that is confirmed is done: only who asks again can tell it from one that is not. */
  lost: true,
  /** A read or list is answered as it was before the last writes. */
  late: true,
  /** Somebody puts a link in the way: the place of a name that is read or written. */
  link: true,
} as const;
export type FaultKind = keyof typeof FAULTS;

/** A fault of some of the steps of a run. */
export interface Fault {
  readonly kind: FaultKind;
  /** The first step that has it. */
  readonly from: number;
  /** How many steps have it. */
  readonly steps: number;
}

/** Keeps what a store had, for answers that are late. */
export class Past<Content> {
  readonly #before: Content[] = [];
  readonly #lag: number;

  /** @param lag in writes */
  constructor(lag: number) {
    this.#lag = lag;
  }

  /** A write is about to happen. @param content as it is before */
  note(content: Content): void {
    this.#before.push(content);
    if (this.#before.length > this.#lag) this.#before.shift();
  }

  /** Time has passed: answers have what was written. */
  forget(): void {
    this.#before.length = 0;
  }

  /** @param now the content, if nothing was written yet */
  late(now: Content): Content {
    return this.#before[0] ?? now;
  }
}
