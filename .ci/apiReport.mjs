// The report of the public types: `sdk/api.md` and `sdk/kubernetes/api.md`. Compares them with those of the build, or writes them:
// `node .ci/apiReport.mjs write`.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Extractor, ExtractorConfig } from "@microsoft/api-extractor";

const root = resolve(import.meta.dirname, "..");
const isWrite = process.argv[2] === "write";
const none = { default: { logLevel: "none" } };

/** The report of an entry of the package. */
function reportOf(folder) {
  const made = mkdtempSync(join(tmpdir(), "api-report-"));
  try {
    const entry = join(root, "dist", folder, "index.d.ts");
    const config = ExtractorConfig.prepare({
      configObject: {
        projectFolder: root,
        mainEntryPointFilePath: entry,
        compiler: {
          overrideTsconfig: {
            compilerOptions: { module: "nodenext", target: "es2024", skipLibCheck: true, types: ["node"] },
            files: [entry],
          },
        },
        apiReport: {
          enabled: true,
          includeForgottenExports: true,
          reportFileName: "report.api.md",
          reportFolder: made,
          reportTempFolder: made,
        },
        messages: {
          compilerMessageReporting: none,
          extractorMessageReporting: none,
          tsdocMessageReporting: none,
        },
      },
      configObjectFullPath: join(root, "api-extractor.json"),
      packageJsonFullPath: join(root, "package.json"),
    });
    const quiet = (message) => {
      message.handled = message.logLevel !== "error";
    };
    const { succeeded } = Extractor.invoke(config, { localBuild: true, messageCallback: quiet });
    if (!succeeded) throw new Error(`no report of ${folder}`);
    return readFileSync(join(made, "report.api.md"), "utf8").replaceAll("\r\n", "\n");
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

for (const folder of ["sdk", "sdk/kubernetes"]) {
  const path = join(root, folder, "api.md");
  const report = reportOf(folder);
  if (isWrite) writeFileSync(path, report);
  else if (readFileSync(path, "utf8") !== report) {
    console.error(
      `${folder}/api.md differs: the public types changed. Is that meant? \`node .ci/apiReport.mjs write\` writes it, and CHANGELOG.md has a line.`,
    );
    process.exitCode = 1;
  }
}
