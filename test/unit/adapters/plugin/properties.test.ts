// What the engine sends and what goes back to it: values with secrets and unknown values at any depth.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { receive, send } from "../../../../provider/adapters/plugin/properties.ts";
import { Secrecy } from "../../../../provider/adapters/plugin/secrecy.ts";
import { UNKNOWN } from "../../../../provider/base/runtime/messages/plainText.ts";
import { secret, struct } from "./pluginClient.ts";

const MARK = "4dabf18193072939515e22adb298388d";
const output = (fields: object): object => ({ [MARK]: "d0e6a833031e9bbcd3f4e8bde6ca49a4", ...fields });
const reference = (fields: object): object => ({ [MARK]: "5cf8f73096256a8f31e491e813e4eb8e", ...fields });
const asset = { [MARK]: "c44067f5952c0a294b673a41bacd8c17", hash: "f0", path: "./logo.svg" };

interface Pair {
  /** As the engine sends it. */
  readonly sent: unknown;
  /** As a life cycle takes it. */
  readonly plain: unknown;
}

const name = fc
  .string({ unit: "grapheme", minLength: 1, maxLength: 8 })
  .filter((each) => each !== MARK && each.isWellFormed());
const leaf: fc.Arbitrary<Pair> = fc
  .oneof(
    fc.string({ unit: "grapheme" }),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => (number === 0 ? 0 : number)),
    fc.boolean(),
    fc.constant(null),
    fc.constant(UNKNOWN),
    fc.constant(asset),
  )
  .map((value) => ({ sent: value, plain: value }));
const { value } = fc.letrec<{ value: Pair; bare: Pair }>((tie) => ({
  bare: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    leaf,
    fc.array(tie("value"), { maxLength: 3 }).map((pairs) => ({
      sent: pairs.map(({ sent }) => sent),
      plain: pairs.map(({ plain }) => plain),
    })),
    fc.dictionary(name, tie("value"), { maxKeys: 3 }).map((pairs) => ({
      sent: Object.fromEntries(Object.entries(pairs).map(([key, { sent }]) => [key, sent])),
      plain: Object.fromEntries(Object.entries(pairs).map(([key, { plain }]) => [key, plain])),
    })),
  ),
  value: fc
    .tuple(tie("bare"), fc.boolean())
    .map(([{ sent, plain }, isSecret]) => ({ sent: isSecret ? secret(sent) : sent, plain })),
}));
const properties = fc.dictionary(name, value, { maxKeys: 4 });

/** Leaves out secrets within secrets: the outer one already says it. */
function flattened(sent: unknown, isSecret = false): unknown {
  if (Array.isArray(sent)) return sent.map((each) => flattened(each, isSecret));
  if (typeof sent !== "object" || sent === null) return sent;
  const fields = sent as Record<string, unknown>;
  if (fields[MARK] === "1b47061264138c4ac30d75fd1eb44270") {
    const inner = flattened(fields["value"], true);
    return isSecret ? inner : secret(inner);
  }
  return Object.fromEntries(Object.entries(fields).map(([key, each]) => [key, flattened(each, isSecret)]));
}

describe("properties", () => {
  test("are plain values for a life cycle, and go back as they came", () => {
    fc.assert(
      fc.property(properties, (pairs) => {
        const sent = Object.fromEntries(Object.entries(pairs).map(([key, pair]) => [key, pair.sent]));
        const plain = Object.fromEntries(Object.entries(pairs).map(([key, pair]) => [key, pair.plain]));
        const received = receive(struct(sent));
        expect(received.properties).toEqual(plain);
        const back = send(received.properties, { secrecy: received.secrecy });
        expect(back.toJavaScript()).toEqual(flattened(sent));
      }),
    );
  });

  test("of the name __proto__ are left out by the library of messages, and change no other object", () => {
    const message = send(JSON.parse('{"a":{"__proto__":{"b":1},"c":2}}') as object, {
      secrecy: new Secrecy(),
    });
    expect(receive(message).properties).toEqual({ a: { c: 2 } });
    expect({}).not.toHaveProperty("b");
  });

  test("an output is its value, a secret where it says so, and unknown without a value", () => {
    const { properties: received, secrecy } = receive(
      struct({ a: output({ value: "v" }), b: output({ value: ["hidden"], secret: true }), c: [output({})] }),
    );
    expect(received).toEqual({ a: "v", b: ["hidden"], c: [UNKNOWN] });
    expect(send(received, { secrecy }).toJavaScript()).toEqual({
      a: "v",
      b: secret(["hidden"]),
      c: [UNKNOWN],
    });
  });

  test("a reference to a resource is its id, unknown while the id is, and the URN of a component", () => {
    const { properties: received } = receive(
      struct({
        a: reference({ urn: "urn:a", id: "docs.example.com" }),
        b: reference({ urn: "urn:b", id: "" }),
        c: reference({ urn: "urn:c" }),
      }),
    );
    expect(received).toEqual({ a: "docs.example.com", b: UNKNOWN, c: "urn:c" });
  });

  test("absent values are left out, and what is no JSON becomes null or whole characters", () => {
    const values = { a: undefined, b: Number.NaN, c: "half \ud83d", d: [undefined] };
    expect(send(values, { secrecy: new Secrecy() }).toJavaScript()).toEqual({
      b: null,
      c: "half \ufffd",
      d: [null],
    });
  });

  test("a secret without a value is malformed", () => {
    expect(() => receive(struct({ a: { [MARK]: "1b47061264138c4ac30d75fd1eb44270" } }))).toThrow(
      "a is a secret without a value",
    );
  });
});

describe("a secret text that is repeated elsewhere", () => {
  const { secrecy } = receive(struct({ source: { version: secret("v1"), folder: secret("/srv/private") } }));
  const sent = (values: object): unknown => send(values, { secrecy, repeats: true }).toJavaScript();

  test("is secret there, also in the bookkeeping and within a longer text", () => {
    expect(
      sent({ version: "v1", __bookkeeping: { copies: [{ version: "v1" }] }, uri: "file:///srv/private/a" }),
    ).toEqual({
      version: secret("v1"),
      __bookkeeping: { copies: [{ version: secret("v1") }] },
      uri: secret("file:///srv/private/a"),
    });
  });

  test("is no secret within a longer text where it is short, nor is what is unknown", () => {
    expect(sent({ status: "v10", jobId: UNKNOWN })).toEqual({ status: "v10", jobId: UNKNOWN });
  });

  test("a property that is always secret is sealed once", () => {
    const sealing = { secrecy, always: ["bundleUrl"] };
    expect(send({ bundleUrl: UNKNOWN, a: { bundleUrl: "x" } }, sealing).toJavaScript()).toEqual({
      bundleUrl: secret(UNKNOWN),
      a: { bundleUrl: "x" },
    });
  });
});
