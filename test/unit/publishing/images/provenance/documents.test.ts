import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Enums, Models, Serialize, Spec } from "@cyclonedx/cyclonedx-library";
import { Ajv } from "ajv";
import fc from "fast-check";
import { expect, test } from "vitest";
import { packageVersion } from "../../../../../provider/base/runtime/files/packageText.ts";
import { imageStatements } from "../../../../../provider/publishing/images/provenance/imageStatements.ts";
import type { Origin } from "../../../../../provider/publishing/images/provenance/origin.ts";
import {
  imageComponent,
  imagePackageUrl,
  type SbomComponent,
  sbomText,
  siteComponents,
} from "../../../../../provider/publishing/images/provenance/sbom.ts";
import { slsaProvenance } from "../../../../../provider/publishing/images/provenance/slsaProvenance.ts";

const DIGEST = `sha256:${"c".repeat(64)}`;
const ORIGIN: Origin = {
  bundle: {
    format: "tar.gz",
    sha256: "a".repeat(64),
    version: "v1",
    jobId: "job/1",
    domain: "docs.example.com",
  },
  serviceUrl: "https://api.example.com",
  base: { name: "nginx-unprivileged:1.30", digest: `sha256:${"b".repeat(64)}` },
  additions: [
    { name: "offlineSearch", options: { button: false }, version: "1", component: "offline-search" },
  ],
};
const FILE = { format: "zip", sha256: "a".repeat(64), version: "v1" } as const;
const SUBJECT = [{ name: "registry.internal/docs/site", digest: { sha256: "c".repeat(64) } }];
const OWN_URL = `pkg:npm/pulumi-docs-hosting@${packageVersion()}`;

test("the provenance names service, domain, job, version, bundle, base, this package and its options", () => {
  expect(slsaProvenance(SUBJECT, ORIGIN)).toEqual({
    _type: "https://in-toto.io/Statement/v1",
    subject: SUBJECT,
    predicateType: "https://slsa.dev/provenance/v1",
    predicate: {
      buildDefinition: {
        buildType: "pkg:npm/pulumi-docs-hosting#site/v1",
        externalParameters: {
          baseUrl: "https://api.example.com",
          domain: "docs.example.com",
          jobId: "job/1",
          version: "v1",
          base: "nginx-unprivileged:1.30",
          offlineSearch: { button: false },
        },
        resolvedDependencies: [
          {
            name: "bundle.tar.gz",
            uri: "https://api.example.com/v1/static-export/jobs/job%2F1",
            digest: { sha256: "a".repeat(64) },
          },
          {
            name: "nginx-unprivileged:1.30",
            uri: `pkg:oci/nginx-unprivileged@sha256%3A${"b".repeat(64)}?repository_url=docker.io%2Flibrary%2Fnginx-unprivileged&tag=1.30`,
            digest: { sha256: "b".repeat(64) },
          },
        ],
      },
      runDetails: { builder: { id: OWN_URL } },
    },
  });
});

test("of a file without a base and a search, the provenance claims no service, no job and no path", () => {
  expect(slsaProvenance(SUBJECT, { bundle: FILE }).predicate).toStrictEqual({
    buildDefinition: {
      buildType: "pkg:npm/pulumi-docs-hosting#site/v1",
      externalParameters: { version: "v1" },
      resolvedDependencies: [{ name: "bundle.zip", digest: { sha256: "a".repeat(64) } }],
    },
    runDetails: { builder: { id: OWN_URL } },
  });
});

test.each([
  ["a job of an unknown service", { bundle: { ...FILE, jobId: "7" } }],
  ["a service without a job", { bundle: FILE, serviceUrl: "https://api.example.com" }],
])("of %s, the provenance claims no address of the bundle", (_, origin) => {
  const { predicate } = slsaProvenance(SUBJECT, origin);
  expect(predicate).toHaveProperty("buildDefinition.resolvedDependencies", [
    { name: "bundle.zip", digest: { sha256: "a".repeat(64) } },
  ]);
});

test("files of other hosts are materials of the provenance, and components of a valid SBOM, each once", () => {
  const asset = {
    address: "https://cdn.example.com/a.css",
    sha256: "d".repeat(64),
    bytes: 7,
    path: "assets/external/a",
  };
  const origin = { bundle: FILE, fetched: [asset, { ...asset, path: "assets/external/b" }] };
  const { predicate } = slsaProvenance(SUBJECT, origin);
  expect(predicate).toHaveProperty("buildDefinition.resolvedDependencies.1", {
    uri: asset.address,
    digest: { sha256: asset.sha256 },
  });
  const bom = JSON.parse(
    sbomText(imageComponent("image", "registry.internal/docs/site", DIGEST), siteComponents(origin)),
  ) as {
    components: { "bom-ref": string }[];
  };
  expect(bom.components.filter((each) => each["bom-ref"].startsWith("https:"))).toEqual([
    {
      type: "file",
      name: asset.address,
      "bom-ref": `${asset.address}#${asset.sha256}`,
      hashes: [{ alg: "SHA-256", content: asset.sha256 }],
    },
  ]);
});

test("the SBOM lists base image, bundle and search, and is valid", () => {
  const text = sbomText(
    imageComponent("image", "registry.internal/docs/site", DIGEST),
    siteComponents(ORIGIN),
  );
  const bom = JSON.parse(text) as Record<string, unknown>;
  expect(bom).toMatchObject({
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    metadata: {
      component: {
        type: "container",
        name: "registry.internal/docs/site",
        version: DIGEST,
        purl: `pkg:oci/site@sha256%3A${"c".repeat(64)}?repository_url=registry.internal%2Fdocs%2Fsite`,
        hashes: [{ alg: "SHA-256", content: "c".repeat(64) }],
      },
      tools: { components: [{ name: "pulumi-docs-hosting", version: packageVersion(), purl: OWN_URL }] },
    },
    components: [
      { type: "container", "bom-ref": "base-image", name: "nginx-unprivileged:1.30" },
      {
        type: "file",
        "bom-ref": "bundle",
        name: "docs.example.com/bundle.tar.gz",
        version: "v1",
        hashes: [{ alg: "SHA-256", content: "a".repeat(64) }],
      },
      {
        type: "library",
        "bom-ref": "offline-search",
        name: "pulumi-docs-hosting/offline-search",
        version: "1",
      },
    ],
    dependencies: expect.arrayContaining([
      { ref: "image", dependsOn: ["base-image", "bundle", "offline-search"] },
    ]) as unknown,
  });
  expect(problems(bom)).toEqual([]);
  expect(problems({ ...bom, components: [{ name: "without a type" }] })).not.toEqual([]);
  expect(text).not.toMatch(/serialNumber|timestamp/);
  expect(imageStatements("registry.internal/docs/site", DIGEST, ORIGIN)).toEqual([
    slsaProvenance(SUBJECT, ORIGIN),
    {
      _type: "https://in-toto.io/Statement/v1",
      subject: SUBJECT,
      predicateType: "https://cyclonedx.org/bom",
      predicate: bom,
    },
  ]);
});

test("the SBOM of a file without a base and a search has the bundle only; a part without content has no hash", () => {
  const main = imageComponent("image", "registry.internal/docs/site", DIGEST);
  const text = sbomText(main, siteComponents({ bundle: FILE }));
  const only = { type: "file", "bom-ref": "bundle", name: "site/bundle.zip", version: "v1" };
  expect(JSON.parse(text)).toMatchObject({ components: [only] });
  expect((JSON.parse(text) as { components: unknown[] }).components).toHaveLength(1);
  const { components } = JSON.parse(sbomText(main, siteComponents(ORIGIN))) as {
    components: Record<string, unknown>[];
  };
  const hashed = components.filter((each) => "hashes" in each).map((each) => each["bom-ref"]);
  expect(hashed).toEqual(["base-image", "bundle"]);
});

test("the bytes of an SBOM do not depend on the order of its components, and a person can read them", () => {
  const main = imageComponent("image", "registry.internal/docs/site", DIGEST);
  const components = siteComponents(ORIGIN);
  const text = sbomText(main, components);
  expect(sbomText(main, components.toReversed())).toBe(text);
  expect(text).toContain('\n  "bomFormat"');
});

test("the URL of an image has its repository and tag, and no tag if none is given", () => {
  expect(imagePackageUrl("127.0.0.1:5000/Docs/site".toLowerCase(), DIGEST)).toBe(
    `pkg:oci/site@sha256%3A${"c".repeat(64)}?repository_url=127.0.0.1%3A5000%2Fdocs%2Fsite`,
  );
  expect(imagePackageUrl("registry.internal/team/docs/site:v1", DIGEST)).toBe(
    `pkg:oci/site@sha256%3A${"c".repeat(64)}?repository_url=registry.internal%2Fteam%2Fdocs%2Fsite&tag=v1`,
  );
});

test("an SBOM has the bytes that CycloneDX's own library writes", () => {
  const text = fc.string({ unit: "grapheme-ascii", minLength: 1 });
  const part = fc.record(
    {
      ref: text,
      kind: fc.constantFrom("application", "container", "file", "library"),
      name: text,
      version: text,
      sha256: fc.stringMatching(/^[0-9a-f]{64}$/),
      packageUrl: fc.stringMatching(/^pkg:oci\/[a-z]+@[0-9a-f]{1,9}$/),
    },
    { requiredKeys: ["ref", "kind", "name"] },
  );
  const all = fc.uniqueArray(part, { minLength: 1, selector: ({ ref }) => ref });
  fc.assert(
    fc.property(all, ([main, ...components]) => {
      if (main) expect(sbomText(main, components)).toBe(libraryText(main, components));
    }),
    { numRuns: 300 },
  );
});

const KINDS = {
  application: Enums.ComponentType.Application,
  container: Enums.ComponentType.Container,
  file: Enums.ComponentType.File,
  library: Enums.ComponentType.Library,
};

function libraryText(main: SbomComponent, components: readonly SbomComponent[]): string {
  const own: SbomComponent = {
    ref: "tool",
    kind: "application" as const,
    name: "pulumi-docs-hosting",
    version: packageVersion(),
    packageUrl: OWN_URL,
  };
  const component = ({ ref, kind, name, version, sha256, packageUrl }: SbomComponent): Models.Component =>
    new Models.Component(KINDS[kind], name, {
      bomRef: ref,
      ...(version !== undefined && { version }),
      ...(packageUrl !== undefined && { purl: packageUrl }),
      ...(sha256 !== undefined && {
        hashes: new Models.HashDictionary([[Enums.HashAlgorithm["SHA-256"], sha256]]),
      }),
    });
  const [whole, listed] = [component(main), components.map(component)];
  for (const { bomRef } of listed) whole.dependencies.add(bomRef);
  const tools = new Models.Tools({ components: new Models.ComponentRepository([component(own)]) });
  const bom = new Models.Bom({
    metadata: new Models.Metadata({ component: whole, tools }),
    components: new Models.ComponentRepository(listed),
  });
  const factory = new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6);
  return `${new Serialize.JsonSerializer(factory).serialize(bom, { sortLists: true, space: 2 })}\n`;
}

/** What CycloneDX's own schema says. */
function problems(bom: unknown): unknown[] {
  const library = dirname(
    createRequire(import.meta.url).resolve("@cyclonedx/cyclonedx-library/package.json"),
  );
  const ajv = new Ajv({ strict: false, validateFormats: false });
  for (const name of ["spdx", "jsf-0.82", "bom-1.6"]) {
    const file = `${name}.SNAPSHOT.schema.json`;
    const schema = JSON.parse(readFileSync(join(library, "res/schema", file), "utf8")) as object;
    ajv.addSchema({ ...schema, $id: `http://cyclonedx.org/schema/${file}` });
  }
  ajv.validate("http://cyclonedx.org/schema/bom-1.6.SNAPSHOT.schema.json", bom);
  return ajv.errors ?? [];
}
