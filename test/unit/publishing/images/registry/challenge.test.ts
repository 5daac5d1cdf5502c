import { expect, test } from "vitest";
import { parseChallenges } from "../../../../../provider/publishing/images/registry/challenge.ts";

test.each([
  ["", []],
  ["Basic", [{ scheme: "basic", parameters: {} }]],
  ['Basic realm="a, b"', [{ scheme: "basic", parameters: { realm: "a, b" } }]],
  [
    'Bearer realm="https://auth.example.com/token",service="registry",scope="repository:a:pull,push"',
    [
      {
        scheme: "bearer",
        parameters: {
          realm: "https://auth.example.com/token",
          service: "registry",
          scope: "repository:a:pull,push",
        },
      },
    ],
  ],
  [
    'BEARER Realm = "say \\"hi\\"" , error=invalid_token',
    [{ scheme: "bearer", parameters: { realm: 'say "hi"', error: "invalid_token" } }],
  ],
  [
    'Negotiate abc==, Basic realm="x", Bearer realm=y',
    [
      { scheme: "negotiate", parameters: {} },
      { scheme: "basic", parameters: { realm: "x" } },
      { scheme: "bearer", parameters: { realm: "y" } },
    ],
  ],
  [
    'Negotiate, Basic realm="x"',
    [
      { scheme: "negotiate", parameters: {} },
      { scheme: "basic", parameters: { realm: "x" } },
    ],
  ],
  ['Bearer realm="a", realm="b"', [{ scheme: "bearer", parameters: { realm: "a" } }]],
  ['Bearer realm="never ended', [{ scheme: "bearer", parameters: {} }]],
  ["\u0000", []],
  ['realm="of no scheme"', []],
  ['=, Basic realm="x"', []],
])("%j is read as RFC 9110 has it", (header, challenges) => {
  expect(parseChallenges(header)).toEqual(challenges);
});
