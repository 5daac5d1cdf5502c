import { unlessAborted } from "../time/unlessAborted";
import { DownloadError } from "../messages/errors";
import type { Reporter } from "../messages/reporter";

/** A link to a bundle that the service issued. */
export interface MintedLink {
  /** A credential: never printed, never stored. */
  readonly url: string;
  /** Size of the bundle in bytes, if the service reports it. */
  readonly sizeBytes?: number;
}

/**
 * How many new links in a row may be refused, and how many links may be requested in all, because links may expire during use.
 */
const MAX_REFUSED_LINKS = 2;
const MAX_LINKS = 100;

/** The links of one download, used one after the other, each until the store refuses it. */
export class Links {
  readonly #mint: () => Promise<MintedLink>;
  readonly #context: { readonly reporter: Reporter; readonly signal: AbortSignal };
  #link: MintedLink | undefined;
  #links = 0;
  /** Links refused since the last received byte. */
  #inARow = 0;

  constructor(
    mint: () => Promise<MintedLink>,
    context: { readonly reporter: Reporter; readonly signal: AbortSignal },
  ) {
    this.#mint = mint;
    this.#context = context;
  }

  /** Returns the current link. @throws what `mint` throws; the signal's reason */
  async current(): Promise<MintedLink> {
    this.#link ??= await unlessAborted(this.#mint(), this.#context.signal);
    return this.#link;
  }

  /** Resets the count of refused links after bytes were received. */
  forget(): void {
    this.#inARow = 0;
  }

  /**
   * The store refused the link: the next call of `current` requests a new one.
   *
   * @param message of the store
   * @throws DownloadError when too many links were refused
   */
  refused(message: string): void {
    this.#link = undefined;
    this.#links++;
    this.#inARow++;
    if (this.#inARow > MAX_REFUSED_LINKS || this.#links > MAX_LINKS) {
      throw new DownloadError(
        `${message}, to ${this.#inARow} new links in a row`,
        "Check that the clocks of the service and its store are right, and that the store serves this machine's address.",
      );
    }
    this.#context.reporter.progress(`${message}; requesting a new link`);
  }
}
