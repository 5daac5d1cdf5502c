// The result of a failed attempt: from the connection's error, or from the status of the service's answer.
import { describe, expect, test } from "vitest";
import { AttemptConnection, connectionFailure } from "../../../../provider/base/http/attemptConnection.ts";
import { refusal } from "../../../../provider/base/http/refusal.ts";
import type { FailedAttempt } from "../../../../provider/base/http/retryPolicy.ts";
import { VirtualClock } from "../../../simulation/virtualClock.ts";

const ENDPOINT = {
  url: "https://api.example.com/x",
  host: "api.example.com",
  name: "GET https://api.example.com/x",
};

/** Fault, class, message and remedy. */
const summaryOf = ({ fault, error }: FailedAttempt): unknown => ({
  fault,
  error: [error.name, error.message, error.remedy],
});

describe("a connection", () => {
  const failed = (error: object, known: Partial<AttemptConnection> = {}): unknown => {
    const connection = new AttemptConnection(ENDPOINT.url, new VirtualClock());
    return summaryOf(
      connectionFailure(ENDPOINT, error, Object.assign(connection, { state: "ready", ...known } as const)),
    );
  };
  const lost = (kind: string, code: string, message: string): unknown => ({
    fault: { kind, code },
    error: ["ConnectionError", message, "Check the network, the base URL, and that the service is up."],
  });
  const proxyHost = "proxy.example.net:3128";
  const ALLOWED =
    "Check HTTPS_PROXY, or name the service's host in NO_PROXY if it is reached without the proxy.";

  test("that broke before it was ready delivered nothing, with any error", () => {
    const throughProxy = (code: string, message: string): unknown => ({
      fault: { kind: "unreachable", code },
      error: [
        "ConnectionError",
        message,
        `Check HTTPS_PROXY (${proxyHost}), that this is a proxy and up, and the network. If api.example.com is reached without the proxy, name it in NO_PROXY.`,
      ],
    });
    for (const code of ["ECONNRESET", "HPE_INVALID_CONSTANT", "Z_DATA_ERROR"]) {
      const broken = lost("unreachable", code, `${ENDPOINT.name} failed (${code})`);
      expect(failed({ code }, { state: "connecting" })).toEqual(broken);
    }
    expect(failed({ code: "EPROTO" }, { state: "connecting", proxyHost })).toEqual(
      throughProxy("EPROTO", `${ENDPOINT.name} failed through the proxy ${proxyHost} (EPROTO)`),
    );
    expect(failed({ code: "ENOTFOUND" }, { state: "connecting", proxyHost })).toEqual(
      throughProxy("ENOTFOUND", `host not found: ${proxyHost}`),
    );
  });

  test("that was not opened delivered nothing, by the codes of unreachable hosts; else it may have delivered the request", () => {
    const notReached = [
      "ECONNREFUSED",
      "ENOTFOUND",
      "EAI_AGAIN",
      "EHOSTUNREACH",
      "ENETUNREACH",
      "EADDRNOTAVAIL",
    ];
    for (const code of [...notReached, "ECONNRESET"]) {
      const kind = code === "ECONNRESET" ? "interrupted" : "unreachable";
      expect(failed({ code }, { state: "unused" })).toMatchObject({ fault: { kind, code } });
      expect(failed({ code }, { state: "ready" })).toMatchObject({ fault: { kind: "interrupted" } });
    }
  });

  test("that broke after it was ready is not blamed on the proxy", () => {
    expect(failed({ code: "ECONNRESET" }, { proxyHost })).toEqual(
      lost("interrupted", "ECONNRESET", `${ENDPOINT.name} failed (ECONNRESET)`),
    );
  });

  test("that broke without a code is reported in words", () => {
    expect(failed({})).toEqual(
      lost("interrupted", "connection failed", `${ENDPOINT.name} failed (connection failed)`),
    );
  });

  test("that nothing accepts says where nothing listens", () => {
    expect(failed({ code: "ECONNREFUSED" }, { state: "connecting" })).toMatchObject({
      error: [
        "ConnectionError",
        `${ENDPOINT.name} failed (ECONNREFUSED)`,
        "Is the service started? Nothing listens at api.example.com: check that address, too.",
      ],
    });
  });

  test("whose certificate is not trusted is told apart from a service that requires one", () => {
    expect(failed({ code: "CERT_HAS_EXPIRED" }, { state: "connecting" })).toEqual({
      fault: { kind: "untrusted", code: "CERT_HAS_EXPIRED" },
      error: [
        "ConnectionError",
        "the certificate of api.example.com is not trusted (CERT_HAS_EXPIRED)",
        "Fix the certificate, or make its authority known with NODE_EXTRA_CA_CERTS. The check cannot be switched off.",
      ],
    });
    const code = "ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED";
    expect(failed({ code })).toEqual(lost("interrupted", code, `${ENDPOINT.name} failed (${code})`));
  });

  test.each([
    ["HPE_HEADER_OVERFLOW", "oversized", "headers that are too large"],
    ["HPE_INVALID_CONSTANT", "notHttp", "with unusable HTTP (HPE_INVALID_CONSTANT)"],
    ["Z_DATA_ERROR", "malformed", "with a body that cannot be decompressed (Z_DATA_ERROR)"],
  ])("with an answer that breaks with %s is of another program", (code, kind, what) => {
    expect(failed({ code })).toEqual({
      fault: { kind },
      error: [
        "MalformedResponseError",
        `${ENDPOINT.name} answered ${what}`,
        "Check that the base URL is that of the service.",
      ],
    });
  });

  test.each([
    [403, ALLOWED],
    [405, "Check HTTPS_PROXY: what answers there opens no tunnel (CONNECT), so it is no proxy for https."],
    [407, "The proxy wants a login: write HTTPS_PROXY as http://USER:PASSWORD@HOST:PORT."],
    [501, "Check HTTPS_PROXY: what answers there opens no tunnel (CONNECT), so it is no proxy for https."],
    [502, ALLOWED],
  ])("that the proxy refused with %i says what to change", (status, remedy) => {
    expect(failed({ code: "x" }, { state: "connecting", proxyHost, refusedByProxy: status })).toEqual({
      fault: { kind: "refusedByProxy", status },
      error: [
        "ConnectionError",
        `the proxy ${proxyHost} refused to connect to api.example.com (status ${status})`,
        remedy === ALLOWED
          ? remedy
          : `${remedy} If api.example.com is reached without the proxy, name it in NO_PROXY.`,
      ],
    });
  });
});

describe("a status", () => {
  const service = {
    baseUrl: "https://api.example.com",
    apiKey: () => "svc_c4n4ry",
    apiKeyName: "SECOND_KEY",
    allowInsecure: false,
  };
  const refused = (status: number, text?: string): unknown =>
    summaryOf(refusal(ENDPOINT, { status, text, requestId: "" }, service));
  const answered = (status: number): string => `${ENDPOINT.name} answered ${status}`;

  test.each([
    [
      401,
      "KeyRejectedError",
      `the service rejected the API key (${answered(401)})`,
      "Check that SECOND_KEY holds a current admin API key of the right organization.",
    ],
    [
      403,
      "NotAllowedError",
      `the service does not allow this (${answered(403)})`,
      "One of three things: the organization's plan has no static export (it needs the enterprise plan); the API key lacks the scope (one that may only read can refresh, but not start); or this machine's address is not one that the organization allows. Check the three in the dashboard.",
    ],
    [404, "NotFoundError", answered(404), "Check the domain, the job id and the base URL."],
    [409, "NotReadyError", answered(409), "Try again when the job is completed."],
    [429, "ResponseError", `the service limits the rate of requests (${answered(429)})`, "Try again later."],
    [400, "ResponseError", answered(400), "Check the inputs and the base URL."],
    [499, "ResponseError", answered(499), "Check the inputs and the base URL."],
    [304, "ResponseError", answered(304), "Check the inputs and the base URL."],
    [500, "ResponseError", answered(500), "The service has a problem: try again later."],
    ...[301, 302, 303, 307, 308].map((status): [number, string, string, string] => [
      status,
      "ResponseError",
      `${answered(status)}, a redirect: it is not followed, so that the API key is sent only to the base URL`,
      "Set the base URL to the service's real address.",
    ]),
  ])("%i is a %s", (status, name, message, remedy) => {
    const fault = { kind: "status", status, retryAfterMs: undefined };
    expect(refused(status)).toEqual({ fault, error: [name, message, remedy] });
    expect(refusal(ENDPOINT, { status, text: "", requestId: "", retryAfterMs: 7 }, service).fault).toEqual({
      ...fault,
      retryAfterMs: 7,
    });
  });

  test.each([
    ['{"error":"no svc_c4n4ry"}', ": no [removed]"],
    ['{"error":7}', ""],
    ["null", ""],
    ["{}", ""],
    ["Bad svc_c4n4ry", ": Bad [removed]"],
    ["x".repeat(201), `: ${"x".repeat(200)}…`],
    [`{"error":"${"x".repeat(201)}"}`, `: ${"x".repeat(201)}`],
    [undefined, ""],
  ])("is reported with the service's own text: %s", (text, expected) => {
    expect(refused(400, text)).toMatchObject({
      error: ["ResponseError", `${answered(400)}${expected}`, expect.anything()],
    });
  });
});

describe("a web page that answered", () => {
  const PAGE = "<!doctype html><title>Log in</title>";
  const origin = { baseUrl: "https://api.example.com", apiKey: () => "svc_c4n4ry", apiKeyName: "KEY" };
  const refused = (status: number, text = PAGE): FailedAttempt["error"] =>
    refusal(ENDPOINT, { status, text, requestId: "" }, origin).error;

  test.each([400, 404, 409, 499])("with %i says nothing about a domain or a job", (status) => {
    const { name, message, remedy } = refused(status);
    expect([name, message, remedy]).toEqual([
      "ResponseError",
      `${ENDPOINT.name} answered ${status}: a web page with the title "Log in"`,
      "A web page answered, not the API of the service. Check the host and the path of the base URL, and that nothing in between (a proxy, a login page) answers in its place.",
    ]);
  });

  test.each(["404 page not found", "default backend - 404", "Not Found"])(
    "or the text of a proxy's router with 404 says nothing about a job: %s",
    (text) => {
      expect(refused(404, text)).toMatchObject({ name: "ResponseError" });
      // the API's own answer is JSON, or has no body
      expect(refused(404, '{"error":"no such job"}')).toMatchObject({ name: "NotFoundError" });
      expect(refused(404, "")).toMatchObject({ name: "NotFoundError" });
    },
  );

  test.each([302, 401, 403, 429, 500, 503])("with %i has the same remedy as the API", (status) => {
    const { name, remedy } = refused(status, "{}");
    expect(refused(status)).toMatchObject({ name, remedy });
  });
});

test("a 404 below a base URL with a path names the path", () => {
  const origin = { baseUrl: "https://api.example.com/docs", apiKey: () => "svc_c4n4ry", apiKeyName: "KEY" };
  const { error } = refusal(ENDPOINT, { status: 404, text: "{}", requestId: "" }, origin);
  expect(error.remedy).toBe(
    "Check the domain, the job id and the base URL. The base URL has the path /docs: if the API is not below it, set the base URL to https://api.example.com.",
  );
});

test("a refusal has the service's request id, in plain text and without texts that look like a key", () => {
  const origin = { baseUrl: "https://api.example.com", apiKey: () => "svc_c4n4ry", apiKeyName: "KEY" };
  const refused = (requestId: string) =>
    refusal(ENDPOINT, { status: 500, text: "no", requestId }, origin).error;
  const named = refused("r-1\u0007svc_c4n4ry");
  expect(named.message).toBe(`${ENDPOINT.name} answered 500 (request r-1 [removed]): no`);
  expect(named).toMatchObject({ status: 500, requestId: "r-1 [removed]" });
  expect(refused("")).toMatchObject({ message: `${ENDPOINT.name} answered 500: no`, requestId: "" });
});

test("after a rotation, the refusal of a key from the configuration says what a refresh sends", () => {
  const remedyFor = (apiKeyName: string): string => {
    const origin = { baseUrl: "https://api.example.com", apiKey: () => "svc_c4n4ry", apiKeyName };
    return refusal(ENDPOINT, { status: 401, text: "no", requestId: "" }, origin).error.remedy;
  };
  expect(remedyFor("KEY (or the config docs-hosting:adminApiKey)")).toContain(
    "`pulumi refresh` and `pulumi destroy --refresh` send the key of the last `pulumi up`. Run `pulumi up` first, or `pulumi refresh --run-program`.",
  );
  expect(remedyFor("SECOND_KEY")).not.toContain("--run-program");
});
