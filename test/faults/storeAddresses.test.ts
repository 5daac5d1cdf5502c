// The addresses behind a link: which addresses of a store are allowed, and which never.
import type { LookupAddress } from "node:dns";
import { expect, test } from "vitest";
import type { Lookup } from "../../provider/base/http/address.ts";
import { DownloadError } from "../../provider/base/runtime/messages/errors.ts";
import { bundleOf, bundleStore, cutAfter } from "./bundleStore.ts";
import { identity, SERVICE_HOST, trustAuthority } from "./certificates.ts";
import { connectProxy } from "./connectProxy.ts";
import { expectBundle, fetched } from "./downloads.ts";

const CONTENT = bundleOf(100_000);
const PUBLIC_ONLY = { allowInsecure: false, publicStorageOnly: true };

/** A DNS server that gives these answers in turn, then the last one repeatedly. */
function names(...answers: string[][]): { lookup: Lookup; asked: string[] } {
  const asked: string[] = [];
  const lookup: Lookup = (host, _options, callback) => {
    const addresses = answers[Math.min(asked.push(host), answers.length) - 1] ?? [];
    const family = (address: string): number => (address.includes(":") ? 6 : 4);
    callback(
      null,
      addresses.map((address): LookupAddress => ({ address, family: family(address) })),
    );
  };
  return { lookup, asked };
}

const linkTo = (url: string) => ({ mint: () => Promise.resolve({ url }) });

test.each([
  "http://169.254.169.254/latest/meta-data",
  "http://2852039166/",
  "http://0xa9fea9fe/",
  "http://0251.0376.0251.0376/",
  "http://169.254.43518/",
  "http://[::ffff:169.254.169.254]/",
  "http://[::ffff:a9fe:a9fe]/",
  "http://[64:ff9b::169.254.169.254]/",
  "http://[64:ff9b:1::169.254.169.254]/",
  "http://[::169.254.169.254]/",
  "http://[2002:a9fe:a9fe::]/",
  "http://[fe80::1]/",
  "http://[fd00:ec2::254]/",
  "http://100.100.100.200/",
])("U06 a metadata service never gets a request, in any form of its address: %s", async (url) => {
  const { error } = await fetched(linkTo(url), { policy: { allowInsecure: true, publicStorageOnly: false } });
  expect(error).toBeInstanceOf(DownloadError);
  expect(error?.message).toContain("which is a link-local or metadata address");
});

test("U06 a store in one's own network is allowed, by its address and by its name", async () => {
  const store = await bundleStore(CONTENT);
  expectBundle(await fetched(store), CONTENT);
  const link = linkTo(`http://store.internal:${new URL(store.origin).port}/bundle`);
  expectBundle(await fetched(link, {}, names(["127.0.0.1"])), CONTENT);
});

test.each(["127.0.0.1", "2130706433", "[::ffff:127.0.0.1]", "localhost", "store.internal"])(
  "U06 where only public storage is allowed, one's own network gets no request: %s",
  async (host) => {
    const store = await bundleStore(CONTENT);
    const link = linkTo(`http://${host}:${new URL(store.origin).port}/bundle`);
    const { error } = await fetched(link, { policy: PUBLIC_ONLY }, names(["127.0.0.1"]));
    expect(error).toBeInstanceOf(DownloadError);
    expect(error?.message).toContain("is not a public address, and docs-hosting:publicStorageOnly is set");
    expect(store.requests).toEqual([]);
  },
);

test("U06 of a host's addresses only the allowed ones get requests", async () => {
  const store = await bundleStore(CONTENT);
  const link = linkTo(`http://store.internal:${new URL(store.origin).port}/bundle`);
  expectBundle(await fetched(link, {}, names(["169.254.169.254", "fe80::1", "127.0.0.1"])), CONTENT);
});

test("U06 a redirect to a name reaches no address that is refused", async () => {
  const store = await bundleStore(CONTENT, (response) => {
    response.writeHead(302, { location: "http://metadata.localhost/" }).end();
    return true;
  });
  const { error } = await fetched(store, {}, names(["169.254.169.254"]));
  expect(error?.message).toContain("metadata.localhost: 169.254.169.254 is a link-local or metadata address");
});

test("U07 the connection goes to the checked address, even if the name resolves to others later", async () => {
  const store = await bundleStore(CONTENT);
  store.misbehave = (...call) => call[2] === 1 && cutAfter(50_000)(store)(...call);
  const link = linkTo(`http://store.internal:${new URL(store.origin).port}/bundle`);
  const network = names(["127.0.0.1"], ["169.254.169.254"]);
  const { error } = await fetched(link, {}, network);
  expect(network.asked).toHaveLength(2); // once for each connection
  expect(store.requests).toHaveLength(1);
  expect(error?.message).toContain("store.internal: 169.254.169.254 is a link-local or metadata address");
});

test("U07 where only public storage is allowed, a name that becomes private gets no request there", async () => {
  const store = await bundleStore(CONTENT);
  const link = linkTo(`http://store.internal:${new URL(store.origin).port}/bundle`);
  const { error } = await fetched(link, { policy: PUBLIC_ONLY }, names([], ["127.0.0.1"]));
  expect(error?.message).toContain("has no address");
  expect(store.requests).toEqual([]);
});

test("U06 a proxy resolves the store itself, and the store does not get its password", async () => {
  await trustAuthority();
  const store = await bundleStore(CONTENT, undefined, { identity: await identity(), host: SERVICE_HOST });
  const proxy = await connectProxy();
  const through = new URL(proxy.url);
  Object.assign(through, { username: "me", password: "c4n4ry" });
  expectBundle(await fetched(store, { proxyFor: () => through }), CONTENT);
  expect(proxy.requests[0]?.headers["proxy-authorization"]).toContain("Basic ");
  expect(Object.keys(store.requests[0]?.headers ?? {})).not.toContain("proxy-authorization");
});

test("U06 the certificate of a store is checked against its name, not its address", async () => {
  const store = await bundleStore(CONTENT, undefined, { identity: await identity(), host: SERVICE_HOST });
  const untrusted = await fetched(store, {}, names(["127.0.0.1"]));
  expect(untrusted.error?.message).toContain("is not trusted");
  await trustAuthority();
  expectBundle(await fetched(store, {}, names(["127.0.0.1"])), CONTENT);
  const other = linkTo(store.origin.replace(SERVICE_HOST, "other.example.test"));
  expect((await fetched(other, {}, names(["127.0.0.1"]))).error?.message).toContain("is not trusted");
});

test("D14 a redirect never leads from https: to http:", async () => {
  await trustAuthority();
  const near = await bundleStore(CONTENT);
  const store = await bundleStore(
    CONTENT,
    (response) => {
      response.writeHead(302, { location: near.origin }).end();
      return true;
    },
    { identity: await identity(), host: SERVICE_HOST },
  );
  const { error } = await fetched(
    store,
    { policy: { allowInsecure: true, publicStorageOnly: false } },
    names(["127.0.0.1"]),
  );
  expect(error?.message).toContain("leads to http://127.0.0.1");
  expect(near.requests).toEqual([]);
});
