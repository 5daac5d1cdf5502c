import { join } from "node:path";
import { bytesBlob, fileBlob, type Blob } from "../../registry/blobs";
import { downloadBlob } from "../../registry/download";
import { ensureBlob } from "../../registry/ensureBlob";
import { deleteManifest, findManifest, putManifest, type Manifest } from "../../registry/manifests";
import {
  isDigest,
  parseBase,
  parseRepository,
  pinned,
  repositoryName,
  type Reference,
  type Repository,
} from "../../registry/reference";
import { RegistrySession, type Actions } from "../../registry/session";
import { TransferProgress } from "../../registry/transferProgress";
import { DestinationError } from "../../words/errors";
import type { Bundle, Copy, Destination, DestinationContext, Draft } from "../destination";
import { readBase, type BaseImage } from "./baseImage";
import type { RepositoryInputs } from "./inputs";
import { LayerWriter, type Layer } from "../../siteImage/layer";
import {
  annotationsOf,
  imageOfSite,
  imageOnBase,
  indexOf,
  SITE_ROOT,
  WEB_ROOT,
  type BuiltImage,
} from "../../siteImage/siteImage";

/** What the state keeps of a copy: all its manifests by digest, the one that is pulled first. */
interface Parts {
  readonly manifests: readonly string[];
}

/** How many digits of its digest a copy's own tag has. */
const TAG_DIGITS = 16;

/** @throws Error for what `repositoryProblem` and `baseProblem` find */
export function repositoryDestination(options: RepositoryInputs): Destination {
  const place = new PLACEHOLDERCLASS(
    parseRepository(options.repository),
    options.base === undefined ? undefined : parseBase(options.base),
    options,
  );
  return {
    id: repositoryName(place.repository),
    begin: (bundle, context) => begin(place, bundle, context),
    look: (copy, context) => look(place, copy, context),
    remove: (copies, kept, context) => remove(place, copies, kept, context),
  };
}

/** The options, read. */
class PLACEHOLDERCLASS {
  readonly repository: Repository;
  readonly base: Reference | undefined;
  readonly tag: string | undefined;
  readonly #plainHttp: boolean | undefined;

  constructor(
    repository: Repository,
    base: Reference | undefined,
    { tag, plainHttp }: Pick<RepositoryInputs, "tag" | "plainHttp">,
  ) {
    this.repository = repository;
    this.base = base;
    this.tag = tag;
    this.#plainHttp = plainHttp;
  }

  session(context: DestinationContext, actions: Actions): RegistrySession {
    return new RegistrySession(this.repository, context, { actions, plainHttp: this.#plainHttp });
  }

  baseSession(base: Reference, context: DestinationContext): RegistrySession {
    // another registry has TLS
    const plainHttp = base.host === this.repository.host && this.#plainHttp;
    return new RegistrySession(base, context, { actions: "pull", plainHttp });
  }
}

async function begin(place: PLACEHOLDERCLASS, bundle: Bundle, context: DestinationContext): Promise<Draft> {
  const base =
    place.base && (await readBase(place.base, place.baseSession(place.base, context), context.reporter));
  const layer = new LayerWriter(
    await context.scratch(),
    base ? WEB_ROOT : SITE_ROOT,
    base !== undefined,
    bundle.sha256,
  );
  return {
    sink: layer,
    publish: async (placing) =>
      publish(place, bundle, base, await layer.end(context.signal), context, placing),
  };
}

async function publish(
  place: PLACEHOLDERCLASS,
  bundle: Bundle,
  base: BaseImage | undefined,
  layer: Layer,
  context: DestinationContext,
  placing?: (copy: Copy) => void,
): Promise<Copy> {
  const session = place.session(context, "pull,push");
  const { images, index } = built(bundle, base, layer);
  const top = index ?? images[0]?.manifest;
  if (top === undefined) throw new Error("an image is made of each platform, and there is at least one");
  await sendBlobs(session, base, layer, images, context);
  const image = pinned(place.repository, top.digest);
  const parts: Parts = {
    manifests: [...new Set([top.digest, ...images.map(({ manifest }) => manifest.digest)])],
  };
  const copy = { sha256: bundle.sha256, uri: image, image, parts: { ...parts } };
  const ownTag = `sha256-${top.digest.slice("sha256:".length).slice(0, TAG_DIGITS)}`;
  // what others lead to comes first
  for (const { manifest } of images) {
    if (manifest === top) continue;
    await putManifest(session, manifest);
    placing?.(copy);
  }
  await putManifest(session, top, ownTag);
  placing?.(copy);
  if (place.tag !== undefined) await putManifest(session, top, place.tag);
  return copy;
}

function built(
  bundle: Bundle,
  base: BaseImage | undefined,
  layer: Layer,
): { images: BuiltImage[]; index?: Manifest } {
  const annotations = annotationsOf(bundle, base);
  if (base === undefined) return { images: [imageOfSite(layer, annotations)] };
  const images = base.images.map((each) => ({ base: each, ...imageOnBase(each, layer, annotations) }));
  return { images, ...(base.isIndex && { index: indexOf(images, annotations) }) };
}

/** Sees that the repository has all blobs: those of the base, the site, the configurations. */
async function sendBlobs(
  session: RegistrySession,
  base: BaseImage | undefined,
  layer: Layer,
  images: readonly BuiltImage[],
  context: DestinationContext,
): Promise<void> {
  const ofBase = new Map(
    (base?.images ?? []).flatMap(({ layers }) => layers).map((each) => [each.digest, each]),
  );
  const progress = new TransferProgress(context, "uploading", [...ofBase.values(), layer]);
  const ensure = async (blob: Blob, options: Parameters<typeof ensureBlob>[2]): Promise<void> => {
    const moved = (bytes: number): void => progress.moved(blob, bytes);
    if ((await ensureBlob(session, blob, { ...options, moved })) !== "sent") progress.found(blob);
  };
  const sameRegistry = base?.session.repository.host === session.repository.host;
  for (const blob of ofBase.values()) {
    const file = join(await context.scratch(), blob.digest.replace(":", "-"));
    await ensure(blob, {
      mountFrom: sameRegistry ? base.session.repository.path : undefined,
      source: async () => {
        if (base) await downloadBlob(base.session, blob, file);
        return fileBlob(file, blob);
      },
    });
  }
  await ensure(layer, { source: () => fileBlob(layer.path, layer) });
  for (const { config } of images) {
    await ensureBlob(
      session,
      { digest: config.digest, size: config.bytes.length },
      { source: () => bytesBlob(config.bytes, config.digest) },
    );
  }
}

async function look(
  place: PLACEHOLDERCLASS,
  copy: Copy,
  context: DestinationContext,
): Promise<"same" | "changed" | "gone"> {
  const session = place.session(context, "pull");
  const [top = ""] = manifestsOf(copy);
  if ((await findManifest(session, top)) === undefined) return "gone";
  if (place.tag === undefined) return "same";
  return (await findManifest(session, place.tag)) === top ? "same" : "changed";
}

/** The layers are the business of the registry's garbage collection, once no manifest leads to them. */
async function remove(
  place: PLACEHOLDERCLASS,
  copies: readonly Copy[],
  kept: readonly Copy[],
  context: DestinationContext,
): Promise<void> {
  const session = place.session(context, "pull,delete");
  const needed = new Set(kept.flatMap(manifestsOf));
  // an index before what it leads to: some registries want it so
  const digests = new Set(copies.flatMap(manifestsOf).filter((digest) => !needed.has(digest)));
  for (const digest of digests) {
    const how = await deleteManifest(session, digest);
    if (how !== "unsupported") continue;
    context.reporter.warn(
      `the registry ${place.repository.host} has the removal of images switched off: old copies stay in ${repositoryName(place.repository)}`,
    );
    return;
  }
}

/** @throws DestinationError for what is no copy in a registry */
function manifestsOf({ uri, parts }: Copy): readonly string[] {
  const { manifests } = parts as Partial<Parts>;
  if (!Array.isArray(manifests) || manifests.length === 0 || !manifests.every(isDigest)) {
    throw new DestinationError(
      `the state does not say which manifests ${uri} has`,
      "Run `pulumi up` with another `version`, so that a new copy is made.",
    );
  }
  return manifests;
}
