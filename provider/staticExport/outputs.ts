import type { OutputTable } from "../resource/outputTable";
import type { JobReport } from "../service/exportJob";
import type { CheckedExportInputs } from "./inputs";

/** The job of the content. */
interface JobOutputs {
  /** Label of the content: the input `version`, or the id of the job. */
  version: string;
  /** The job that the link belongs to. */
  jobId: string;
  /** Status of the job as the service reported it, in lower case: `completed` once the resource is created. */
  status: string;
}

/** A link to its bundle. */
interface LinkOutputs {
  /** Presigned link to the bundle. Always a secret, because it is a credential until it expires. */
  bundleUrl?: string;
  /** Size of the bundle in bytes. Absent if the service does not report it. */
  bundleSize?: number;
  /** When the link expires, ISO 8601. Absent if neither the service nor the query of the link (S3, Google, Azure) contains it. */
  expiresAt?: string;
  /** When the link is due for renewal, ISO 8601: from then on the next `pulumi up` renews it. Absent if `expiresAt` is. */
  renewAfter?: string;
}

/** The outputs that do not repeat an input. The only definition of their names. */
export interface ExportOwnOutputs extends JobOutputs, JobReport, LinkOutputs {}

/** The outputs of a static export: all inputs, and what the service decided. */
export interface StaticExportOutputs
  extends ExportOwnOutputs, Omit<CheckedExportInputs, keyof ExportOwnOutputs> {}

/** One row per output that does not repeat an input. */
export const STATIC_EXPORT_OUTPUTS: OutputTable<ExportOwnOutputs> = {
  version: {},
  jobId: {},
  status: {},
  pageCount: { nullIfAbsent: true },
  bundleUrl: { isSecret: true, isRenewed: true },
  bundleSize: { isRenewed: true, nullIfAbsent: true }, // the service may report another size of the same content
  expiresAt: { isRenewed: true },
  renewAfter: { isRenewed: true },
};
