// The registries that a user of an example needs, for the tests of one file.
import { afterAll, beforeAll } from "vitest";
import { type RegistryStub, startRegistryStub, storeBase } from "../simulation/registryStub.ts";
import type { PackedPackage } from "./packedPackage.ts";
import { type Registry, startRegistry } from "./registry.ts";

export interface ExampleRegistries {
  /** For npm. */
  packages: Registry;
  /** Has an image with the tag 1, on which copies can be based. */
  images: RegistryStub;
}

/** Start before the tests and end after them. @param isPublished whether the registry for npm has the packed package */
export function exampleRegistries(packed: PackedPackage, isPublished: boolean): ExampleRegistries {
  const registries = {} as ExampleRegistries;
  const ends: (() => unknown)[] = [];
  beforeAll(async () => {
    registries.packages = await startRegistry(packed.tarball, isPublished);
    registries.images = await startRegistryStub({
      onTestFinished: (end) => void ends.push(end as () => unknown),
    });
    storeBase(registries.images, "1");
  });
  afterAll(async () => {
    await registries.packages.close();
    for (const end of ends) await end();
  });
  return registries;
}
