// Links to a bundle over real sockets: refused, renewed, redirected.
import { expect, test } from "vitest";
import { DownloadError } from "../../provider/base/runtime/messages/errors.ts";
import { atFirst, bundleOf, bundleStore, cutAfter, saying } from "./bundleStore.ts";
import { LINK_QUERY, show } from "./canary.ts";
import { expectBundle, fetched } from "./downloads.ts";

/** Less than is held back where the disk is slow: all that a store sent before it broke has arrived. */
const CONTENT = bundleOf(1_000_000);
const HALF = CONTENT.length / 2;

const EXPIRED = "<Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>";
const REFUSALS: [number, string][] = [
  [401, ""],
  [403, EXPIRED],
  [410, "gone"],
  [400, "<Error><Code>ExpiredToken</Code><Message>The provided token has expired.</Message></Error>"],
];

test.each(REFUSALS)("D01 a link that is refused with %d is renewed", async (status, body) => {
  const store = await bundleStore(CONTENT, atFirst(1, saying(status, body)));
  expectBundle(await fetched(store), CONTENT);
  expect(store.minted()).toBe(2);
});

test.each(REFUSALS)(
  "D01 after %d the download continues where it was, with a new link",
  async (status, body) => {
    const store = await bundleStore(CONTENT);
    store.misbehave = (...call) =>
      (call[2] === 1 && cutAfter(HALF)(store)(...call)) || (call[2] === 2 && saying(status, body)(...call));
    const outcome = await fetched(store);
    expectBundle(outcome, CONTENT);
    expect(
      store.requests.map(({ path }) => path.slice(-LINK_QUERY.length - 2, -LINK_QUERY.length - 1)),
    ).toEqual(["1", "1", "2"]);
    expect(store.requests[2]?.headers).toMatchObject({ range: `bytes=${HALF}-`, "if-match": store.etag });
  },
);

test("D01 new links that are all refused are not renewed without end", async () => {
  const body = `${EXPIRED}<StringToSign>${LINK_QUERY}</StringToSign>`;
  const store = await bundleStore(CONTENT, saying(403, body));
  const { error, lines } = await fetched(store);
  expect(error).toBeInstanceOf(DownloadError);
  expect(error?.remedy).toContain("Check that the clocks of the service and its store are right");
  const refused = `the store ${new URL(store.origin).host} answered 403: AccessDenied: Request has expired`;
  expect(lines.progress).toEqual(Array.from({ length: 2 }, () => `${refused}; requesting a new link`));
  expect(error?.message).toBe(
    `the bundle of job job-1 of docs.example.com was not downloaded: the store ${new URL(store.origin).host} ` +
      "answered 403: AccessDenied: Request has expired, to 3 new links in a row",
  );
  expect(store.minted()).toBe(3);
});

test("D01 a link may be renewed as often as it ends while bytes arrive", async () => {
  const store = await bundleStore(CONTENT);
  store.misbehave = (...call) =>
    call[2] < 21 && (call[2] % 2 === 0 ? saying(403, EXPIRED) : cutAfter(50_000)(store))(...call);
  expectBundle(await fetched(store), CONTENT);
  expect(store.minted()).toBe(11);
});

test("D01 a 400 that does not report an expired link is final, and its error does not show the link", async () => {
  const store = await bundleStore(CONTENT, (response, { path }) =>
    saying(400, `no: ${path}`)(response, { path, headers: {} }, 1),
  );
  const { error } = await fetched(store);
  expect(error?.message).toContain("answered 400: no: /bundle.tar.gz");
  expect(store.requests).toHaveLength(1);
});

test.each([1, 3])("D14 %d redirects are followed, and no server gets more than the link", async (count) => {
  const near = await bundleStore(CONTENT);
  near.misbehave = atFirst(1, cutAfter(HALF)(near));
  const store = await bundleStore(CONTENT, (response, { path }) => {
    const hop = Number(new URLSearchParams(path.split("?")[1]).get("hop") ?? 0) + 1;
    const location = hop < count ? `/next?hop=${hop}` : `${near.origin}/near?${LINK_QUERY}`;
    response.writeHead(307, { location, "set-cookie": "a=b" }).end();
    return true;
  });
  expectBundle(await fetched(store), CONTENT);
  expect(store.requests).toHaveLength(2 * count);
  expect(near.requests[1]?.headers).toMatchObject({ range: `bytes=${HALF}-`, "if-match": near.etag });
  for (const { headers } of [...store.requests, ...near.requests]) {
    expect(Object.keys(headers).filter((name) => !["range", "if-match"].includes(name))).toEqual([
      "accept",
      "accept-encoding",
      "user-agent",
      "host",
      "connection",
    ]);
  }
});

test.each([301, 302, 303, 307, 308])(
  "D14 a redirect with %d is followed with the request as it was",
  async (status) => {
    const store = await bundleStore(CONTENT);
    store.misbehave = atFirst(1, saying(status, "", { location: "elsewhere?a=%7Eb" }));
    expectBundle(await fetched(store), CONTENT);
    expect(store.requests.map(({ path }) => path.replace(/link=.*/, ""))).toEqual([
      "/bundle.tar.gz?",
      "/elsewhere?a=%7Eb",
    ]);
  },
);

test.each([300, 304, 305])("D14 the status %d is no redirect", async (status) => {
  const store = await bundleStore(CONTENT, saying(status, "", { location: "/elsewhere" }));
  expect((await fetched(store)).error?.message).toContain(`answered ${status}`);
  expect(store.requests).toHaveLength(1);
});

test("D14 an error after a redirect does not show where it led to", async () => {
  const secret = "0123456789abcdef0123456789abcdef";
  const store = await bundleStore(CONTENT, (response, request, number) =>
    number === 1
      ? saying(302, "", { location: `/elsewhere?X-Amz-Signature=${secret}` })(response, request, number)
      : saying(400, `no: ${request.path}`)(response, request, number),
  );
  const { error } = await fetched(store);
  expect(error?.message).toContain("answered 400: no: /elsewhere");
  expect(error?.message).not.toContain(secret);
});

test.each([
  ["a fourth time", "/again", "redirects more than 3 times", 4],
  ["to nowhere", undefined, "redirects to nowhere (status 302)", 1],
  ["to another protocol", "ftp://127.0.0.1/b", "leads to ftp://127.0.0.1", 1],
  ["with a password", "http://user:c4n4ry@127.0.0.1/", "redirects to nowhere", 1],
  ["to a metadata service", "http://169.254.169.254/latest", "leads to http://169.254.169.254", 1],
  ["to a host without TLS", "http://store.example.com/b", "leads to http://store.example.com", 1],
])("D14 a redirect %s is not followed", async (_what, location, expected, asked) => {
  const store = await bundleStore(CONTENT, saying(302, "", location === undefined ? {} : { location }));
  const { error } = await fetched(store);
  expect(error).toBeInstanceOf(DownloadError);
  expect(error?.message).toContain(expected);
  expect(error?.remedy).toMatch(/^(Report this to|Only https: is|Ask the service's operator)/);
  expect(store.requests).toHaveLength(asked);
});

test("a failure to renew a link is reported unchanged", async () => {
  const reason = new Error("no key");
  const outcome = await fetched({ mint: () => Promise.reject(reason) });
  expect(outcome.error).toBe(reason);
  show(outcome.lines);
});
