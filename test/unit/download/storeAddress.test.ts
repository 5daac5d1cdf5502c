import { expect, test } from "vitest";
import { refusedAddress } from "../../../provider/download/storeAddress.ts";

const anywhere = { allowInsecure: false, publicStorageOnly: false };
const publicOnly = { allowInsecure: false, publicStorageOnly: true };

test.each([
  ...["169.254.0.1", "169.254.169.254", "100.100.100.200", "168.63.129.16", "192.0.0.192"],
  ...["fe80::1", "fe80::1%eth0", "febf::1", "fd00:ec2::254", "FD20:CE::254", "[fe80::1]"],
  ...["::ffff:169.254.1.1", "::ffff:a9fe:101", "0:0:0:0:0:ffff:a9fe:a9fe", "64:ff9b::a9fe:a9fe"],
  ...["64:ff9b:1::a9fe:a9fe", "::a9fe:a9fe", "2002:a9fe:a9fe::1"],
])("%s is never asked", (address) => {
  expect(refusedAddress(address, anywhere)).toContain("metadata");
  expect(refusedAddress(address, publicOnly)).toContain("metadata");
});

test.each([
  ...["0.0.0.0", "10.1.2.3", "100.64.0.1", "127.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1"],
  ...["192.0.2.1", "198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1", "240.0.0.1", "255.255.255.255"],
  ...["::", "::1", "fc00::1", "fd12::1", "fec0::1", "ff02::1", "2001:db8::1", "2001::1", "3fff::1", "100::1"],
  ...["::ffff:10.0.0.1", "64:ff9b::a00:1", "64:ff9b:1::808:808", "2002:a00:1::", "::7f00:1"],
])("%s is asked, unless only public storage is allowed", (address) => {
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
