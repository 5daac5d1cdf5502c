import { buffer } from "node:stream/consumers";
import { Response } from "node-fetch";
import { digestOf, MemoryRegistry } from "../../simulation/memoryRegistry.ts";
import { type FaultKind, Past } from "./faults.ts";
import { Operation } from "./operation.ts";
import type { Place, Spot } from "./place.ts";

type Repository = { readonly repository: string; readonly tag?: string };

const REPOSITORIES: Readonly<Record<Spot, string>> = {
  same: "localhost:5000/docs/site",
  "another spelling": "127.0.0.1:5000/docs/site",
  nested: "localhost:5000/docs/site/nested",
  parent: "localhost:5000/docs",
  separate: "localhost:5000/other",
};
const TAGS = ["latest", "latest", "prod", undefined];

/** How many writes a list or a read may be behind. */
const LAG = 3;

const isStream = (body: unknown): body is AsyncIterable<Uint8Array> =>
  typeof body === "object" && body !== null && !Buffer.isBuffer(body);

type Repositories = MemoryRegistry["repositories"];

const copyOf = (all: Repositories): Repositories =>
  new Map(
    [...all].map(([path, { blobs, manifests }]) => [
      path,
      { blobs: new Map(blobs), manifests: new Map(manifests) },
    ]),
  );

/** Gives the repositories another content, in place: others refer to them. */
function restore(all: Repositories, content: Repositories): void {
  for (const [path, { blobs, manifests }] of all) {
    const wanted = content.get(path);
    blobs.clear();
    manifests.clear();
    for (const [digest, blob] of wanted?.blobs ?? []) blobs.set(digest, blob);
    for (const [name, manifest] of wanted?.manifests ?? []) manifests.set(name, manifest);
  }
}

/** A registry without a server, with images of sites. */
export function registryPlace(): Place {
  const registry = new MemoryRegistry();
  registry.checksBlobs = true;
  const foreign: { repository: string; digest: string }[] = [];
  const past = new Past<Repositories>(LAG);
  /** What a fault is at a registry; `undefined` if this request cannot have it. */
  const faultyFetch = (
    kind: FaultKind,
    { isRead, isWrite }: { readonly isRead: boolean; readonly isWrite: boolean },
    carryOut: () => Promise<Response>,
  ): (() => Promise<Response>) | undefined => {
    const answer = (status: number, body: string, type: string) => () =>
      Promise.resolve(new Response(body, { status, headers: { "content-type": type } }));
    const broken = (): Promise<never> =>
      Promise.reject(
        Object.assign(new Error("socket hang up"), {
          type: "system",
          code: "ECONNRESET",
          errno: "ECONNRESET",
        }),
      );
    /** Carries it out at another content, and comes back to this one. */
    const at = (before: Repositories, after: Repositories): Promise<Response> => {
      restore(registry.repositories, before);
      const reply = carryOut(); // the registry answers at once
      restore(registry.repositories, after);
      return reply;
    };
    const now = copyOf(registry.repositories);
    switch (kind) {
      case "refused":
        return answer(403, '{"errors":[{"code":"DENIED"}]}', "application/json");
      case "busy":
        return answer(503, "", "text/plain");
      case "login page":
        return answer(200, "<!doctype html><title>Sign in</title>", "text/html");
      case "no such page":
        return answer(404, "<!doctype html><title>404 Not Found</title>", "text/html");
      case "not arrived":
        return broken;
      case "no answer":
        return () => carryOut().then(broken);
      case "lost":
        return isWrite ? () => at(now, now) : undefined;
      case "late":
        return isRead ? () => at(past.late(now), now) : undefined;
      case "link":
        return undefined;
    }
  };
  const pathOf = ({ repository }: Repository): string => repository.slice(repository.indexOf("/") + 1);
  const digestIn = (repository: string, name: string): string | undefined => {
    const found = registry.at(repository).manifests.get(name);
    return found && digestOf(found.body);
  };
  return {
    destination: (spot, variant) => ({
      repository: REPOSITORIES[spot],
      plainHttp: true,
      ...(TAGS[variant % TAGS.length] !== undefined && { tag: TAGS[variant % TAGS.length] }),
    }),
    async fetch(url, init) {
      const operation = Operation.current;
      const fault = await operation?.step();
      const method = init.method ?? "GET";
      const isRead = method === "GET" || method === "HEAD";
      const isWrite = !isRead && method !== "DELETE";
      const { body } = init;
      const whole = isStream(body) ? { ...init, body: await buffer(body) } : init;
      const carryOut = (): Promise<Response> => registry.fetch(url, whole);
      const answered = fault && faultyFetch(fault, { isRead, isWrite }, carryOut);
      if (!isRead) past.note(copyOf(registry.repositories));
      if (operation && answered) operation.hadFault = true;
      return (answered ?? carryOut)();
    },
    environment: {},
    /** Of the tag that users pull: by the marks of the image that it names. */
    owner(destination) {
      const { tag } = destination as Repository;
      const path = pathOf(destination as Repository);
      const image = tag === undefined ? undefined : digestIn(path, tag);
      if (tag === undefined || image === undefined) return undefined;
      const short = image.slice("sha256:".length).slice(0, 16);
      const claims: { readonly at: string; readonly text: string }[] = [];
      for (const [name, { body }] of registry.at(path).manifests) {
        if (!name.startsWith(`docs-hosting-owner-${short}-`)) continue;
        const { annotations = {} } = JSON.parse(body.toString()) as { annotations?: Record<string, string> };
        const claimed = (annotations["pulumi-docs-hosting.tags"] ?? "").split(",");
        const text = annotations["pulumi-docs-hosting.owner"] ?? "{}";
        if (claimed.includes(tag)) {
          claims.push({ at: annotations["org.opencontainers.image.created"] ?? "", text });
        }
      }
      // the one who claimed it last; of two at the same time neither
      const [last, other] = claims.sort((one, two) => two.at.localeCompare(one.at));
      if (last?.at === other?.at) return last && { owner: "several", urn: "several" };
      return last && (JSON.parse(last.text) as { owner: string; urn: string });
    },
    missing(copy, _content, owner, destination) {
      const path = pathOf(destination as Repository);
      const digest = copy.uri.slice(copy.uri.indexOf("@") + 1);
      const short = digest.slice("sha256:".length).slice(0, 16);
      const manifest = registry.at(path).manifests.get(digest);
      if (!manifest) return digest;
      if (digestIn(path, `sha256-${short}`) !== digest) return `the tag sha256-${short}`;
      const { config, layers } = JSON.parse(manifest.body.toString()) as Record<
        "config" | "layers",
        { digest: string } & { digest: string }[]
      >;
      const blob = [config, ...layers].find((each) => !registry.at(path).blobs.has(each.digest));
      if (blob) return blob.digest;
      return registry.at(path).manifests.has(`docs-hosting-owner-${short}-${owner}`)
        ? undefined
        : `the mark of ${owner} at ${short}`;
    },
    pointer(destination) {
      const { tag } = destination as Repository;
      return tag === undefined ? "no pointer" : digestIn(pathOf(destination as Repository), tag);
    },
    nameOf: ({ uri }) => uri.slice(uri.indexOf("@") + 1),
    pointerKey(destination) {
      return `${pathOf(destination as Repository)}:${(destination as Repository).tag ?? ""}`;
    },
    addForeign(number, destination, copy) {
      const path = pathOf(destination as Repository);
      const digest = copy && this.nameOf(copy);
      const image = digest === undefined ? undefined : registry.at(path).manifests.get(digest);
      if (number % 2 === 0 || digest === undefined || image === undefined) {
        // an image of somebody else
        const body = Buffer.from(JSON.stringify({ schemaVersion: 2, config: {}, number }));
        const own = digestOf(body);
        registry.at(path).manifests.set(own, { type: "", body }).set(`theirs-${number}`, { type: "", body });
        foreign.push({ repository: path, digest: own });
        return () => digestIn(path, `theirs-${number}`) === own;
      }
      registry.at(path).manifests.set(`stable-${number}`, image);
      foreign.push({ repository: path, digest });
      return () => digestIn(path, `stable-${number}`) === digest && registry.at(path).manifests.has(digest);
    },
    alter: () => false,
    left: () =>
      [...registry.repositories].flatMap(([repository, { manifests }]) =>
        [...manifests]
          .filter(
            ([, { body }]) =>
              !foreign.some((each) => each.repository === repository && each.digest === digestOf(body)),
          )
          .map(([name]) => `${repository} ${name}`),
      ),
    settle: () => past.forget(),
    killed: () => undefined,
  };
}
