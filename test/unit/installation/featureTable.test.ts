import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import {
  FEATURES,
  featureTitle,
  featureValues,
  supportOf,
} from "../../../provider/installation/featureTable.ts";

test("the docstring of each feature says what the table says", () => {
  const source = readFileSync(
    `${import.meta.dirname}/../../../provider/installation/featureTable.ts`,
    "utf8",
  );
  for (const feature of FEATURES) {
    const [text = ""] =
      new RegExp(`/\\*\\* ([^*]*) \\*/\\s*readonly ${feature}\\?`).exec(source)?.slice(1) ?? [];
    const [clientHosted, airGapped] = [supportOf(feature, "client-hosted"), supportOf(feature, "air-gapped")];
    expect(text).toBe(
      `${featureTitle(feature)}: ` +
        (clientHosted === airGapped
          ? `always ${clientHosted ?? ""}.`
          : `${clientHosted ?? ""} in a client-hosted installation, ${airGapped ?? ""} in an air-gapped one.`),
    );
  }
});

test("the refusal of features quotes their rows as a table", () => {
  const { problem } = featureValues({ search: true, webAnalytics: true }, "air-gapped") as {
    problem: string;
  };
  expect(problem).toContain(`

  | Feature              | Cloud     | Client-hosted | Air-gapped  |
  | Documentation search | available | configurable  | unavailable |
  | Web analytics        | available | configurable  | unavailable |

`);
});
