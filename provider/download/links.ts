import { unlessAborted } from "../time/unlessAborted";
import { DownloadError } from "../messages/errors";
import type { Reporter } from "../messages/reporter";

/** A link to a bundle, as the service mints it. */
export interface MintedLink {
  /** A credential: never shown, never kept. */
  readonly url: string;
  /** Size of the bundle in bytes, where the service tells it. */
  readonly sizeBytes?: number;
}

/** How many fresh links in a row may be refused; and how many are minted in all, for links that end while they are used. */
const MAX_REFUSED_LINKS = 2;
const MAX_LINKS = 100;

/** The links of one download: one after the other, each until the store refuses it. */
export class Links {
  readonly #mint: () => Promise<MintedLink>;
  readonly #context: { readonly reporter: Reporter; readonly signal: AbortSignal };
  #link: MintedLink | undefined;
  #links = 0;
  /** Links that were refused since the last byte. */
  #inARow = 0;

  constructor(
    mint: () => Promise<MintedLink>,
    context: { readonly reporter: Reporter; readonly signal: AbortSignal },
  ) {
    this.#mint = mint;
    this.#context = context;
  }

  /** The link to use now. @throws what `mint` throws; the signal's reason */
  async current(): Promise<MintedLink> {
    this.#link ??= await unlessAborted(this.#mint(), this.#context.signal);
    return this.#link;
  }

  /** Bytes came: what was refused before counts no longer. */
  forget(): void {
    this.#inARow = 0;
  }

  /**
   * The store does not take the link any more: the next one is a fresh one.
   *
   * @param message what the store said
   * @throws DownloadError when there is to be no other
   */
  refused(message: string): void {
    this.#link = undefined;
    this.#links++;
    this.#inARow++;
    if (this.#inARow > MAX_REFUSED_LINKS || this.#links > MAX_LINKS) {
      throw new DownloadError(
        `${message}, to ${this.#inARow} fresh links in a row`,
        "Check that the clocks of the service and its store are right, and that this machine's address is one that the store serves.",
      );
    }
    this.#context.reporter.progress(`${message}; a fresh link is asked for`);
  }
}
