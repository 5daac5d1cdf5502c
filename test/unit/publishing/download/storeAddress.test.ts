import { BlockList, isIP } from "node:net";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Lookup } from "../../../../provider/base/http/address.ts";
import { guardedLookup } from "../../../../provider/base/http/address.ts";
import { refusedAddress } from "../../../../provider/base/http/addressPolicy.ts";
import { DownloadError } from "../../../../provider/base/runtime/messages/errors.ts";
import { checkStoreUrl } from "../../../../provider/publishing/download/storeAddress.ts";

const anywhere = { allowInsecure: false, publicStorageOnly: false };
const publicOnly = { allowInsecure: false, publicStorageOnly: true };

test.each([
  ...["169.254.0.1", "169.254.169.254", "100.100.100.200", "168.63.129.16", "192.0.0.192"],
  ...["fe80::1", "fe80::1%eth0", "febf::1", "fd00:ec2::254", "FD20:CE::254", "fe80::1%2"],
  ...["::ffff:169.254.1.1", "::ffff:a9fe:101", "0:0:0:0:0:ffff:a9fe:a9fe", "64:ff9b::a9fe:a9fe"],
  ...["64:ff9b:1::a9fe:a9fe", "::a9fe:a9fe", "2002:a9fe:a9fe::1", "::ffff:0:a9fe:a9fe"],
  ...["0251.0376.0251.0376", "0xa9.0xfe.0xa9.0xfe", "2852039166", "0xa9fea9fe"],
])("%s is never used", (address) => {
  expect(refusedAddress(address, anywhere)).toContain("metadata");
  expect(refusedAddress(address, publicOnly)).toContain("metadata");
});

test.each([
  ...["0.0.0.0", "10.1.2.3", "100.64.0.1", "127.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1"],
  ...["192.0.2.1", "198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1", "240.0.0.1", "255.255.255.255"],
  ...["::", "::1", "fc00::1", "fd12::1", "fec0::1", "ff02::1", "2001:db8::1", "2001::1", "3fff::1", "100::1"],
  ...["4000::1", "8000::1", "1fff::1", "192.175.48.1", "192.52.193.1", "2620:4f:8000::1", "::ffff:0:808:808"],
  ...["::ffff:10.0.0.1", "64:ff9b::a00:1", "64:ff9b:1::808:808", "2002:a00:1::", "::7f00:1"],
])("%s is used, unless only public storage is allowed", (address) => {
  expect(refusedAddress(address, anywhere)).toBeUndefined();
  expect(refusedAddress(address, publicOnly)).toContain("docs-hosting:publicStorageOnly");
});

test.each([
  ...["8.8.8.8", "1.1.1.1", "100.63.255.255", "100.128.0.1", "172.15.0.1", "172.32.0.1", "169.253.0.1"],
  ...["169.255.0.1", "192.167.0.1", "223.255.255.255", "126.0.0.1", "128.0.0.1"],
  ...[
    "2606:4700::1111",
    "2a00:1450:4001::1",
    "::ffff:8.8.8.8",
    "64:ff9b::808:808",
    "2002:808:808::1",
    "2001:200::1",
  ],
])("%s is public", (address) => {
  expect(refusedAddress(address, publicOnly)).toBeUndefined();
});

test.each(["", "store", "1.2.3.4.5", "256.1.1.1", "g::", "1:2:3", "fe80::1%", "fe80::1%a b", "[::1]"])(
  "%j is no address, and not used",
  (address) => {
    expect(refusedAddress(address, anywhere)).toBe("is not an address");
  },
);

/** The message of a refused URL, and its remedy. */
function refusalOf(url: string, policy = anywhere, from?: string): string[] | undefined {
  try {
    checkStoreUrl(new URL(url), policy, from === undefined ? undefined : new URL(from));
    return undefined;
  } catch (error) {
    expect(error).toBeInstanceOf(DownloadError);
    const { message, remedy } = error as DownloadError;
    return [message, remedy];
  }
}

test.each([
  ["https://store.test/b", undefined],
  ["http://store.test/b", undefined],
  ["http://127.0.0.1:9000/b", undefined],
  ["https://[2606:4700::1111]/b", undefined],
  ["https://other.test/b", "https://store.test/b"],
  ["https://other.test/b", "http://store.test/b"],
  ["http://localhost:9000/b", "http://store.test/b"],
])("the link to %s, from %s, is followed", (url, from) => {
  expect(refusalOf(url, anywhere, from)).toBeUndefined();
});

test.each(["http://[fe80::1]/b", "https://[::ffff:169.254.169.254]/b", "https://169.254.169.254:81/b"])(
  "a URL with an address that is refused is not followed: %s",
  (url) => {
    const { host } = new URL(url);
    expect(refusalOf(url)).toEqual([
      `the link leads to ${host}, which is a link-local or metadata address`,
      "Ask the service's operator why its links lead there.",
    ]);
  },
);

test("a URL with a private address is followed, unless only public storage is allowed", () => {
  for (const url of ["https://[fd12::1]/b", "https://10.0.0.1/b"]) {
    expect(refusalOf(url)).toBeUndefined();
    expect(refusalOf(url, publicOnly)?.[0]).toContain("docs-hosting:publicStorageOnly");
  }
});

/** What a connection gets from a DNS with these addresses, and why they are refused. */
function resolved(addresses: string[] | Error, all: boolean, policy = anywhere) {
  const asked: unknown[] = [];
  const lookup: Lookup = (host, options, callback) => {
    asked.push(host, options);
    if (addresses instanceof Error) callback(addresses, []);
    else {
      callback(
        null,
        addresses.map((address) => ({ address, family: isIP(address) })),
      );
    }
  };
  const refusals: string[] = [];
  const results: unknown[][] = [];
  const guarded = guardedLookup(lookup, policy, (why) => refusals.push(why));
  guarded("store.test", { all, hints: 4 }, (...result) => results.push(result));
  return { asked, refusals, results };
}

test.each<[string[], string]>([
  [["169.254.169.254", "fe80::1"], "169.254.169.254 is a link-local or metadata address"],
  [["10.0.0.1"], "10.0.0.1 is not a public address, and docs-hosting:publicStorageOnly is set"],
  [[], "it has no address"],
])("a name with the addresses %j gets none, with the reason", (addresses, why) => {
  const { results, refusals } = resolved(addresses, false, publicOnly);
  expect(refusals).toEqual([why]);
  expect(results).toEqual([[expect.objectContaining({ code: "EACCES" }), ""]]);
});

test("an error of the DNS is passed on, and is no refusal", () => {
  const unknown = new Error("unknown host");
  expect(resolved(unknown, true)).toMatchObject({ results: [[unknown, ""]], refusals: [] });
});

type Network = [address: string, prefix: number];

function list(...networks: Network[]): (address: string) => boolean {
  const blocked = new BlockList();
  const family = (address: string): "ipv6" | "ipv4" => (isIP(address) === 6 ? "ipv6" : "ipv4");
  for (const [address, prefix] of networks) blocked.addSubnet(address, prefix, family(address));
  return (address) => blocked.check(address, family(address));
}

const METADATA: Network[] = [
  ["169.254.0.0", 16],
  ["fe80::", 10],
  ["fd00:ec2::254", 128],
  ["fd20:ce::254", 128],
  ["100.100.100.200", 32],
  ["168.63.129.16", 32],
  ["192.0.0.192", 32],
];
/** The special-purpose registries of IANA for IPv4, and all of IPv6 that is unassigned, or not public. */
const NOT_PUBLIC: Network[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
  ["::", 3],
  ["4000::", 2],
  ["8000::", 1],
  ["2001::", 23],
  ["2001:db8::", 32],
  ["3fff::", 20],
];
const isMetadata = list(...METADATA);
// a list of both would treat IPv4 addresses as mapped ones, which are in ::/3
const [isNotPublicIpv4, isNotPublicIpv6] = [4, 6].map((version) =>
  list(...NOT_PUBLIC.filter(([address]) => isIP(address) === version)),
) as [(address: string) => boolean, (address: string) => boolean];
const isForRelays = list(["192.175.48.0", 24], ["192.31.196.0", 24], ["192.52.193.0", 24]);

/** Numbers at the borders of networks, and any others. */
const ipv4 = fc.oneof(
  fc
    .constantFrom(...[...METADATA, ...NOT_PUBLIC].filter(([address]) => isIP(address) === 4))
    .chain(([address, prefix]) => {
      const first = address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
      return fc.constantFrom(first - 1, first, first + 2 ** (32 - prefix) - 1, first + 2 ** (32 - prefix));
    })
    .map((number) => (number + 2 ** 32) % 2 ** 32),
  fc.integer({ min: 0, max: 2 ** 32 - 1 }),
);
const dotted = (number: number): string =>
  [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join(".");
const hex = (number: number): string =>
  `${Math.floor(number / 65_536).toString(16)}:${(number % 65_536).toString(16)}`;

test("every IPv4 address in these networks is refused, also within an IPv6 address", () => {
  fc.assert(
    fc.property(ipv4, (number) => {
      const address = dotted(number);
      const why = isMetadata(address)
        ? "metadata"
        : isNotPublicIpv4(address)
          ? "publicStorageOnly"
          : undefined;
      const forms = [address, `::ffff:${address}`, `::ffff:${hex(number)}`, `64:ff9b::${hex(number)}`];
      for (const form of [...forms, `2002:${hex(number)}::1`]) {
        if (why !== undefined) expect(refusedAddress(form, publicOnly)).toContain(why);
        else if (!isForRelays(address)) expect(refusedAddress(form, publicOnly)).toBeUndefined();
        expect(refusedAddress(form, anywhere) !== undefined).toBe(why === "metadata");
      }
      for (const form of [`::${hex(number)}`, `64:ff9b:1::${hex(number)}`, `::ffff:0:${hex(number)}`]) {
        expect(refusedAddress(form, publicOnly)).toContain(why === "metadata" ? why : "publicStorageOnly");
      }
    }),
  );
});

test("every IPv6 address in these networks is refused", () => {
  const begins = [
    "fe80",
    "febf",
    "fec0",
    "fd00:ec2",
    "2001",
    "2001:1ff",
    "2001:200",
    "2001:db8",
    "3fff",
    "1fff",
  ];
  const part = fc.integer({ min: 0, max: 65_535 }).map((number) => number.toString(16));
  const begin = fc.oneof(fc.constantFrom(...begins, "2000", "3ffe", "4000", "7fff", "8000", "ffff"), part);
  fc.assert(
    fc.property(begin, part, part, (head, middle, tail) => {
      const address = `${head}:${middle}::${tail}`;
      if (isMetadata(address)) expect(refusedAddress(address, anywhere)).toContain("metadata");
      else if (isNotPublicIpv6(address)) {
        expect(refusedAddress(address, publicOnly)).toContain("not a public");
      }
    }),
  );
});
