import type { ScriptedReply, SeenRequest } from "../../simulation/scriptedFetch.ts";
import type { VirtualClock } from "../../simulation/virtualClock.ts";

/** How a service writes what it says. Each field names one form. */
export interface Forms {
  readonly start: keyof typeof STARTS;
  readonly pending: string;
  readonly done: string;
  readonly link: keyof typeof LINKS;
  readonly poll: keyof typeof POLLS;
  /** The header with its refusals of the rate. */
  readonly retryAfter: string | undefined;
}

type Reply = Exclude<ScriptedReply, "never">;
const HOUR_MS = 3_600_000;

/** The reply to a start that the service has processed. */
export const STARTS = {
  id: (jobId: string): Reply => ({ status: 202, body: { jobId } }),
  number: (jobId: string): Reply => ({ status: 200, body: { jobId: Number(jobId) } }),
  envelope: (jobId: string): Reply => ({ status: 200, body: { data: { jobId } } }),
  location: (jobId: string): Reply => ({ status: 202, text: "", headers: { location: `/jobs/${jobId}` } }),
  "too large": (): Reply => ({ status: 202, text: '{"jobId":9007199254740993}' }),
  "lost at a CDN": (): Reply => ({ status: 520, text: "" }),
  "lost at another": (): Reply => ({ status: 530, text: "<html>" }),
  cut: (): Reply => ({ error: "ECONNRESET" }),
};
/** Starts whose reply has no id that can be read, though it was accepted. */
export const WITHOUT_ID: readonly (keyof typeof STARTS)[] = ["envelope", "location", "too large"];

const iso = (ms: number): string => new Date(ms).toISOString();
const local = (ms: number, zoneHours: number): string => iso(ms + zoneHours * HOUR_MS).slice(0, -1);
const basic = (ms: number): string => iso(ms).replace(/[-:]|\.\d+/g, "");
const s3 = (mintedMs: number, endMs: number): string =>
  `X-Amz-Date=${basic(mintedMs)}&X-Amz-Expires=${(endMs - mintedMs) / 1_000}&X-Amz-Signature=s`;

/** The query of a link that ends then, and what the reply says about its end. */
export const LINKS = {
  iso: (_: number, endMs: number) => ["s=1", iso(endMs)],
  seconds: (_: number, endMs: number) => ["s=1", endMs / 1_000],
  micros: (_: number, endMs: number) => ["s=1", endMs * 1e3],
  nanos: (_: number, endMs: number) => ["s=1", `${endMs}000000`],
  "RFC 1123": (_: number, endMs: number) => ["s=1", new Date(endMs).toUTCString()],
  "signed alone": (mintedMs: number, endMs: number) => [s3(mintedMs, endMs), undefined],
  "lower case": (mintedMs: number, endMs: number) => [s3(mintedMs, endMs).toLowerCase(), undefined],
  "local time east": (mintedMs: number, endMs: number) => [s3(mintedMs, endMs), local(endMs, 2)],
  "local time west": (mintedMs: number, endMs: number) => [s3(mintedMs, endMs), local(endMs, -5)],
  "a wish": (mintedMs: number, endMs: number) => [s3(mintedMs, endMs), iso(endMs + 24 * HOUR_MS)],
  earlier: (mintedMs: number, endMs: number) => [s3(mintedMs, endMs + HOUR_MS), iso(endMs)],
  "S3 version 2": (_: number, endMs: number) => [`Expires=${endMs / 1_000}&Signature=s`, undefined],
  Azure: (_: number, endMs: number) => [`se=${iso(endMs + HOUR_MS)}&ske=${iso(endMs)}&sig=s`, undefined],
} satisfies Record<string, (mintedMs: number, endMs: number) => (string | number | undefined)[]>;

/** What a poll gets now and then. */
export const POLLS = {
  fine: undefined,
  "broken CDN": { status: 524, text: "" },
  "no host": { error: "ENOTFOUND" },
  cut: { error: "ECONNRESET" },
  "too many": { status: 429, text: "" },
} satisfies Record<string, Reply | undefined>;

interface Job {
  readonly version: unknown;
  readonly endsAtMs: number;
}

/** A service that writes its replies in one form each, on a virtual clock. */
export class FormsService {
  readonly jobs = new Map<string, Job>();
  /** When each link really ends: milliseconds since 1970, by the service's clock. */
  readonly linkEnds = new Map<string, number>();
  /** Each start that arrived: its content, and the form of its reply. */
  readonly starts: { readonly version: unknown; readonly form: keyof typeof STARTS }[] = [];
  forms: Forms;
  readonly #clock: VirtualClock;
  #polls = 0;

  constructor(clock: VirtualClock, forms: Forms) {
    this.#clock = clock;
    this.forms = forms;
  }

  readonly answer = (request: SeenRequest): ScriptedReply => {
    const reply = this.#replyTo(request);
    if (reply === "never" || "error" in reply) return reply;
    const date = new Date(this.#clock.trueNow()).toUTCString();
    return { ...reply, headers: { date, ...reply.headers } };
  };

  #replyTo({ method, path, body }: SeenRequest): ScriptedReply {
    const { forms } = this;
    const [, jobId = "", bundle] = /\/jobs(?:\/([^/]+))?(\/bundle)?$/.exec(path) ?? [];
    if (jobId === "") {
      const { version } = body as { version?: unknown };
      const id = String(this.jobs.size + 1);
      this.jobs.set(id, { version, endsAtMs: this.#clock.monotonic() + 30_000 });
      this.starts.push({ version, form: forms.start });
      return STARTS[forms.start](id);
    }
    const job = this.jobs.get(jobId);
    if (!job) return { status: 404, body: { error: "no such job" } };
    if (method === "GET") {
      const fault = POLLS[forms.poll];
      if (fault && ++this.#polls % 3 === 0) {
        return "status" in fault && fault.status === 429 ? this.#refusal() : fault;
      }
      const isDone = this.#clock.monotonic() >= job.endsAtMs;
      return {
        body: { status: isDone ? forms.done : forms.pending, error: isDone ? "a page is odd" : undefined },
      };
    }
    if (bundle === undefined) return { status: 405, text: "" };
    const mintedMs = Math.floor(this.#clock.trueNow() / 1_000) * 1_000;
    const endMs = mintedMs + HOUR_MS;
    const [query, expiresAt] = LINKS[forms.link](mintedMs, endMs);
    const bundleUrl = `https://store.example.test/${this.linkEnds.size}.tgz?${String(query)}`;
    this.linkEnds.set(bundleUrl, endMs);
    return { body: { bundleUrl, expiresAt, sizeBytes: 0 } };
  }

  #refusal(): ScriptedReply {
    const { retryAfter } = this.forms;
    return { status: 429, text: "", headers: retryAfter === undefined ? {} : { "retry-after": retryAfter } };
  }
}
