import { createHash } from "node:crypto";
import { buffer } from "node:stream/consumers";
import { Response } from "node-fetch";
import type { Fetch } from "../../provider/http/attempt.ts";

/** A manifest as it was sent. */
export interface MemoryManifest {
  readonly type: string;
  readonly body: Buffer;
}

/** A registry without a server: the part of the distribution specification that copies need. All hosts are the same registry. */
export class MemoryRegistry {
  readonly #blobs = new Map<string, Buffer>();
  readonly #repositories = new Map<string, Map<string, MemoryManifest>>();

  /** The manifests of a repository, by tag and by digest. */
  manifests(repository: string): Map<string, MemoryManifest> {
    const found = this.#repositories.get(repository) ?? new Map<string, MemoryManifest>();
    this.#repositories.set(repository, found);
    return found;
  }

  /** The names of all repositories that were written to. */
  get repositories(): string[] {
    return [...this.#repositories.keys()];
  }

  hasBlob(digest: string): boolean {
    return this.#blobs.has(digest);
  }

  readonly fetch: Fetch = async (url, { method = "GET", headers, body }) => {
    const { pathname, searchParams } = new URL(url);
    const [, repository = "", kind = "", name = ""] =
      /^\/v2\/(.*)\/(blobs|manifests|tags)\/(.*)$/.exec(pathname) ?? [];
    const sent =
      typeof body === "string" || Buffer.isBuffer(body)
        ? Buffer.from(body)
        : body
          ? await buffer(body as AsyncIterable<Uint8Array>)
          : Buffer.alloc(0);
    const reply = (status: number, more: Record<string, string> = {}, content?: Buffer | string): Response =>
      new Response(method === "HEAD" || content === undefined ? null : content, { status, headers: more });
    const manifests = this.manifests(repository);
    if (kind === "") return reply(200);
    if (kind === "tags") {
      const tags = [...manifests.keys()].filter((each) => !each.startsWith("sha256:")).sort();
      return reply(200, { "content-type": "application/json" }, JSON.stringify({ name: repository, tags }));
    }
    if (kind === "blobs") {
      if (method === "POST") return reply(202, { location: `${pathname}1` });
      const digest = searchParams.get("digest");
      if (method === "PUT" && digest !== null) {
        if (digestOf(sent) !== digest) return reply(400);
        this.#blobs.set(digest, sent);
        return reply(201);
      }
      const blob = this.#blobs.get(name);
      return blob ? reply(200, { "content-length": String(blob.length) }, blob) : reply(404);
    }
    if (method === "PUT") {
      const type = new Headers(headers as Record<string, string>).get("content-type") ?? "";
      manifests.set(name, { type, body: sent }).set(digestOf(sent), { type, body: sent });
      return reply(201, { "docker-content-digest": digestOf(sent) });
    }
    const found = manifests.get(name);
    if (!found) return reply(404);
    if (method === "DELETE") {
      for (const [each, { body: stored }] of manifests) if (stored.equals(found.body)) manifests.delete(each);
      return reply(202);
    }
    return reply(
      200,
      { "content-type": found.type, "docker-content-digest": digestOf(found.body) },
      found.body,
    );
  };
}

/** The digest of a manifest or blob. */
export function digestOf(bytes: Buffer): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}
