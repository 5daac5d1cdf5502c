import fc from "fast-check";

/** Texts with a meaning to a terminal, a pipeline, Pulumi or gRPC. */
const FRAGMENTS = [
  "##vso[task.setvariable variable=a]",
  "##[stop-commands]",
  "##",
  "[",
  "::set-output name=a::",
  "::error::",
  "\ud83d",
  "\ude00",
  "😀",
  "\u001b[31m",
  "\u001b]0;x\u0007",
  "\u0085",
  "\u2028",
  "\r\n",
  "\u202e",
  "04da6b54-80e4-46f7-96ec-b56ff0331ba9",
  "1C4A061D-8072-4F0A-A4CB-0FF528B18FE7",
  "https://good\\@evil.example/",
  "https://",
  "completed",
  "__proto__",
];

/** Any text: of whole and half characters, and of texts that an attacker would write. */
export function hostileText(...more: string[]): fc.Arbitrary<string> {
  const units = fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 20 });
  const part = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...FRAGMENTS, ...more) },
    { weight: 1, arbitrary: units.map((codes) => String.fromCharCode(...codes)) },
    { weight: 1, arbitrary: fc.integer({ min: 195, max: 1_005 }).map((length) => "x".repeat(length)) },
  );
  return fc.oneof(
    part,
    fc.array(part, { maxLength: 6 }).map((parts) => parts.join("")),
  );
}

/** Any JSON with such texts. */
export function hostileJson(text: fc.Arbitrary<string>): fc.Arbitrary<unknown> {
  return fc.oneof(
    text,
    fc.integer(),
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    fc.array(text),
    fc.object({ key: text, values: [text] }),
  );
}
