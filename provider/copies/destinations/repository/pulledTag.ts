import { findManifest, getManifest, putManifest, type Manifest } from "../../../images/registry/manifests";
import { repositoryName } from "../../../images/registry/reference";
import type { RegistryClient } from "../../../images/registry/client";
import type { Descriptor } from "../../../images/registry/content";
import type { Ownership } from "../../ownership/ownership";
import { itemOf, type RepositoryMarks, type TagClaim } from "./repositoryMarks";

/** The tag that users pull: the input `tag`. It belongs to the owner who published last. */
export class PulledTag {
  readonly #tag: string | undefined;
  readonly #client: RegistryClient;
  readonly #marks: RepositoryMarks;
  readonly #ownership: Ownership;

  constructor(tag: string | undefined, client: RegistryClient, marks: RepositoryMarks, ownership: Ownership) {
    this.#tag = tag;
    this.#client = client;
    this.#marks = marks;
    this.#ownership = ownership;
  }

  /** Prepares the mark at an image that is published now: it says that its owner takes the tag. */
  async announce(image: string, files: Descriptor): Promise<void> {
    const before = await this.#image();
    const claims = before === undefined || before === image ? [] : await this.#claimsAt(before);
    const order = 1 + Math.max(0, ...claims.map((claim) => claim.order));
    this.#marks.describe({ image, tags: this.#tag === undefined ? [] : [this.#tag], order, files });
  }

  /** Moves the tag to an image. A warning names the other owners of the image that it named. */
  async take(image: Manifest): Promise<void> {
    const tag = this.#tag;
    if (tag === undefined) return;
    const before = await this.#image();
    if (before !== undefined && before !== image.digest) {
      const others = await this.#ownership.otherOwners(itemOf(before));
      if (others !== undefined) {
        this.#client.context.reporter.warn(
          `${this.#name} was a copy of ${others}: it is this copy now. Give each resource a tag or a repository of its own`,
        );
      }
    }
    await putManifest(this.#client, image, tag);
  }

  /** Moves the tag from an image that its owner leaves to the newest image that another owner gave this tag. */
  async giveAway(image: string): Promise<void> {
    const tag = this.#tag;
    if (tag === undefined || (await this.#image()) !== image) return;
    const heirs: TagClaim[] = [];
    for (const [item, marks] of await this.#marks.all()) {
      for (const { owner, isLeaving } of marks) {
        const claim = isLeaving ? undefined : await this.#marks.claimOf(item, owner);
        if (claim?.tags.includes(tag)) heirs.push(claim);
      }
    }
    for (const heir of heirs.sort((one, other) => other.order - one.order)) {
      if (heir.image === image) return;
      const manifest = await getManifest(this.#client, heir.image);
      if (manifest) return putManifest(this.#client, manifest, tag);
    }
  }

  async #claimsAt(image: string): Promise<TagClaim[]> {
    const claims: TagClaim[] = [];
    for (const { owner } of (await this.#marks.list(itemOf(image))) ?? []) {
      const claim = await this.#marks.claimOf(itemOf(image), owner);
      if (claim) claims.push(claim);
    }
    return claims;
  }

  async #image(): Promise<string | undefined> {
    return this.#tag === undefined ? undefined : findManifest(this.#client, this.#tag);
  }

  get #name(): string {
    return `${repositoryName(this.#client.repository)}:${this.#tag ?? ""}`;
  }
}
