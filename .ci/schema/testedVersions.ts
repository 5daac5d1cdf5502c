import { readFileSync } from "node:fs";
import { join } from "node:path";
import { SYSTEMS } from "../../test/kit/systems.ts";
import { BUN_VERSION, layouts } from "../../test/package/layouts.ts";
import {
  CRANE_VERSION,
  DISTRIBUTION_VERSION,
  FAKE_GCS_VERSION,
  HELM_VERSION,
  KUBERNETES_VERSION,
  VERSITYGW_VERSION,
} from "../../test/programs/goPrograms.ts";

const TABLE = /<!-- table: versions that tests use -->[^]*?<!-- end of table -->/;

/** What a lock file or a package.json says. */
interface Manifest {
  readonly packages: Readonly<Record<string, { readonly version: string }>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
}

/** A page with the table of the versions that the tests use, each as the tests name it. */
export function withTestedVersions(page: string, root: string): string {
  const read = (file: string): Manifest => JSON.parse(readFileSync(join(root, file), "utf8")) as Manifest;
  const { packages } = read("package-lock.json");
  const locked = (name: string): string => {
    const found = packages[`node_modules/${name}`];
    if (!found) throw new Error(`the lock file has no ${name}`);
    return found.version;
  };
  const generator = (site: string, name: string): string =>
    read(`test/foreignSites/${site}/package.json`).dependencies[name] ?? "";
  const { azurite } = read("test/copies/stores/azurite/package.json").dependencies;
  const oldestSdk = read("package.json").peerDependencies["@pulumi/pulumi"]?.replace("^", "");

  const rows = [
    ["what", "versions", "where"],
    ["---", "---", "---"],
    ["Pulumi CLI", locked("@pulumi/pulumi"), "`npm test -- cli`, in the workflow `tests`"],
    [
      "`@pulumi/pulumi`",
      `${oldestSdk} and ${locked("@pulumi/pulumi")}`,
      "`test/package/supportedSdks.test.ts`",
    ],
    ["`@pulumi/kubernetes`", locked("@pulumi/kubernetes"), "`test/package/kubernetes.test.ts`"],
    ["Node.js", locked("node"), "all tests"],
    ["TypeScript of a program", `5.9 and ${locked("typescript")}`, "`test/package/supportedSdks.test.ts`"],
    [
      "package managers",
      layouts.map(({ name }) => [name, managerVersion(name, locked)].join(" ").trim()).join(", "),
      "`test/package/package.test.ts`",
    ],
    ["languages", "Python, Go, YAML, Java, C#", "`test/package/languages.test.ts`"],
    ["Kubernetes", KUBERNETES_VERSION, "`npm test -- cluster`"],
    ["Helm", HELM_VERSION, "`npm test -- chart`"],
    ["web server of the chart", "nginx of Debian", "`npm test -- chart`"],
    [
      "registry",
      `distribution ${DISTRIBUTION_VERSION}; read by crane ${CRANE_VERSION}`,
      "`npm test -- copies`",
    ],
    [
      "S3 store",
      `versitygw ${VERSITYGW_VERSION}; AWS SDK ${locked("@aws-sdk/client-s3")}`,
      "`npm test -- copies`",
    ],
    [
      "Azure Blob Storage",
      `Azurite ${azurite ?? ""}; Azure SDK ${locked("@azure/storage-blob")} and ${locked("@azure/identity")}`,
      "`npm test -- copies`",
    ],
    [
      "Google Cloud Storage",
      `fake-gcs-server ${FAKE_GCS_VERSION}; Google's library ${locked("@google-cloud/storage")}`,
      "`npm test -- copies`",
    ],
    ["shells of a kit's scripts", SYSTEMS.join("; "), "`npm test -- kit`"],
    [
      "exports of other generators",
      `Next.js ${generator("nextjs", "next")}, Docusaurus ${generator("docusaurus", "@docusaurus/core")}`,
      "`npm test -- foreign-sites`",
    ],
    ["browser", "Chromium of Debian", "`npm test -- foreign-sites`"],
  ];
  const table = rows.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
  return page.replace(
    TABLE,
    () => `<!-- table: versions that tests use -->\n\n${table}\n\n<!-- end of table -->`,
  );
}

/** npm comes with Node.js. The workflow installs bun, and the lock file has the others. */
function managerVersion(name: string, locked: (name: string) => string): string {
  if (name === "bun") return BUN_VERSION;
  return name === "pnpm" || name === "yarn" ? locked(name) : "";
}
