import { expect, test } from "vitest";
import { InputError } from "../../../provider/base/runtime/messages/errors.ts";
import { checkSite, otherSite } from "../../../provider/service/exportJob.ts";

test.each<[unknown]>([
  [undefined],
  [null],
  [7],
  [""],
  ["docs.example.com"],
  ["Docs.EXAMPLE.com"],
  ["https://other.example.com/"],
  ["the docs of somebody"],
])("a reply with the domain %j is about the job of docs.example.com", (domain) => {
  expect(otherSite("docs.example.com", { domain })).toBeUndefined();
  expect(() => {
    checkSite("docs.example.com", "7", { domain });
  }).not.toThrow();
});

test.each([
  ["Other.example.com", "other.example.com"],
  ["bücher.example", "xn--bcher-kva.example"],
])(
  "the job of %s is not that of docs.example.com: the error names both and says what to do",
  (named, site) => {
    expect(otherSite("docs.example.com", { domain: named })).toBe(site);
    expect(() => {
      checkSite("docs.example.com", "7", { domain: named });
    }).toThrow(
      new InputError(
        `job 7 is an export of ${site}, not of docs.example.com`,
        `Give the jobId of an export of docs.example.com, or declare the domain ${site}.`,
      ),
    );
  },
);

test("an international name is the same in both spellings", () => {
  expect(otherSite("xn--bcher-kva.example", { domain: "Bücher.example" })).toBeUndefined();
});
