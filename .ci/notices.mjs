// Licences of the packages in a bundle of esbuild, with their notices: anyone who passes on the bundle must also pass on these.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const OF_PACKAGE = /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/;

/** @param inputs the files of the bundle, by their path */
export function noticesOf(inputs) {
  const folders = new Set(inputs.map((path) => OF_PACKAGE.exec(path)?.[0]).filter(Boolean));
  /** Names of packages by their text: many packages have the same. */
  const byText = new Map();
  for (const folder of folders) {
    const { name, version, license, author } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const text = textOf(folder) ?? statedOnly(name, license, author);
    byText.set(text, (byText.get(text) ?? new Set()).add(`${name} ${version} (${license})`));
  }
  const parts = [...byText].map(([text, names]) => `${[...names].sort().join("\n")}\n\n${text}\n`);
  return `plugin.js contains these packages.\n\n${parts.sort().join(`\n${"-".repeat(80)}\n\n`)}`;
}

function textOf(folder) {
  const files = readdirSync(folder).sort();
  const read = (file) => readFileSync(join(folder, file), "utf8").replaceAll("\r\n", "\n").trim();
  const texts = files.filter((file) => /^(licen[cs]e|copying|notice)/i.test(file)).map(read);
  if (texts.length > 0) return texts.join("\n\n");
  const readme = files.find((file) => /^readme/i.test(file));
  return readme && /^#* *licen[cs]e *\n[^]*/im.exec(read(readme))?.[0];
}

/** Packages that contain no text, such as some of the AWS SDK: it is that of their neighbours. */
function statedOnly(name, license, author) {
  if (license === "Apache-2.0") {
    return "Their package.json says so. The text of the Apache License 2.0 is in this file.";
  }
  if (license === "MIT" && typeof author === "string") {
    return `Copyright (c) ${author}. Its package.json says so. The text of the MIT License is in this file.`;
  }
  throw new Error(`${name}: its licence (${license}) has no text`);
}
