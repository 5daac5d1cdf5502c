// Links to archives: they are signed without a request.
import { expect, test, type TestContext, vi } from "vitest";
import type { CopyLink } from "../../../../../../provider/publishing/destinations/destination.ts";
import type { BucketInputs } from "../../../../../../provider/publishing/destinations/objectStore/s3/inputs.ts";
import { s3Destination } from "../../../../../../provider/publishing/destinations/objectStore/s3/s3Store.ts";
import { CANARIES, type StubOperation, stubOperation } from "../../../../../simulation/bucketStub.ts";

const COPY = {
  sha256: "0".repeat(64),
  uri: "s3://docs/a b",
  parts: { key: "a b", size: 1, etag: '"e"' },
};
const NOW_MS = Date.parse("2026-01-02T03:04:05.678Z");

async function linked(
  context: TestContext,
  more: Partial<BucketInputs>,
  environment: Readonly<Record<string, string>> = {},
): Promise<Pick<CopyLink, "expiresAtMs"> & { url: URL; operation: StubOperation }> {
  const operation = await stubOperation(context);
  vi.stubEnv("AWS_REGION", undefined);
  vi.stubEnv("AWS_CONFIG_FILE", "/nowhere");
  vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", "/nowhere");
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  operation.clock.wallMs = NOW_MS;
  const link = await s3Destination({ bucket: "docs", ...more }).link?.(COPY, operation);
  return { ...link, url: new URL(link?.url ?? ""), operation };
}

test("a signed link has the life that was asked for, counted from now", async (context) => {
  const { url, expiresAtMs, operation } = await linked(context, { region: "eu-west-1", linkLife: "90s" });
  expect(url.origin + url.pathname).toBe("https://docs.s3.eu-west-1.amazonaws.com/a%20b");
  expect(url.searchParams.get("X-Amz-Expires")).toBe("90");
  expect(url.searchParams.get("X-Amz-Date")).toBe("20260102T030405Z");
  expect(expiresAtMs).toBe(Date.parse("2026-01-02T03:05:35Z"));
  const signature = url.searchParams.get("X-Amz-Signature") ?? "";
  expect(signature).toMatch(/^[0-9a-f]{64}$/);
  expect(operation.secrets.removeFrom(url.href)).not.toContain(signature);
});

test("a link ends with the credentials that signed it", async (context) => {
  const environment = { AWS_CREDENTIAL_EXPIRATION: "2026-01-02T03:30:00Z" };
  const { expiresAtMs } = await linked(context, { region: "eu-west-1", linkLife: "1h" }, environment);
  expect(expiresAtMs).toBe(Date.parse("2026-01-02T03:30:00Z"));
});

test("a link without a life is not signed, and does not end", async (context) => {
  const { url, expiresAtMs } = await linked(context, { region: "eu-west-1" });
  expect(url.href).toBe("https://docs.s3.eu-west-1.amazonaws.com/a%20b");
  expect(expiresAtMs).toBeUndefined();
});

test.for<[Partial<BucketInputs>, Readonly<Record<string, string>>, string]>([
  [{ endpoint: "https://s3.example.com" }, {}, "us-east-1"],
  [{ endpoint: "https://s3.example.com" }, { AWS_REGION: "" }, "us-east-1"],
  [{ endpoint: "https://s3.example.com" }, { AWS_REGION: "garage" }, "garage"],
  [{ endpoint: "https://s3.example.com", region: "own" }, { AWS_REGION: "garage" }, "own"],
  [{}, { AWS_REGION: "eu-west-3" }, "eu-west-3"],
  [{ region: "eu-west-1" }, { AWS_REGION: "eu-west-3" }, "eu-west-1"],
])("%j with %j is signed for the region %s", async ([more, environment, region], context) => {
  const { url } = await linked(context, { linkLife: "1h", ...more }, environment);
  expect(url.searchParams.get("X-Amz-Credential")).toBe(
    `${CANARIES.AWS_ACCESS_KEY_ID}/20260102/${region}/s3/aws4_request`,
  );
  expect(url.origin + url.pathname).toBe(
    more.endpoint === undefined
      ? `https://docs.s3.${region}.amazonaws.com/a%20b`
      : "https://s3.example.com/docs/a%20b",
  );
});

test("a site has no link: its pages cannot be signed one by one", () => {
  expect(s3Destination({ bucket: "docs", layout: "site" }).link).toBeUndefined();
});
