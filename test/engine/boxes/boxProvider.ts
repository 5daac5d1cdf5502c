// The provider of the engine's own tests: boxes, kept in a JSON file. It runs in the dynamic-provider process, records every
// call, and does what the test has configured: fail, wait, lose a box.
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

/** The behaviour of a call, by «method name» (`create a`). */
export interface Order {
  throw?: string;
  /** The box is created, but isn't healthy. */
  unfinished?: string[];
  /** Until the test writes a file of this name. */
  waitFor?: string;
  /** SIGINT is recorded, and doesn't end the process. */
  heedsNoInterrupt?: boolean;
}

export interface Call {
  method: string;
  name: string;
  pid: number;
  config?: string | undefined;
}

export type Box = Record<string, unknown> & { name: string };
export type Boxes = Record<string, { serial: number; size?: unknown }>;

export const files = { orders: "orders.json", boxes: "boxes.json", calls: "calls.jsonl" };

interface Configuration {
  config: { get(name: string): string | undefined };
}

/** How often the provider checks whether it may continue. */
const pollIntervalMs = 10;

export function createBoxProvider(folder: string) {
  const path = (name: string) => join(folder, name);
  const read = <Content>(name: string, empty: Content): Content =>
    existsSync(path(name)) ? (JSON.parse(readFileSync(path(name), "utf8")) as Content) : empty;
  let config: Configuration["config"] | undefined;

  function record(call: Omit<Call, "pid">): void {
    const line: Call = { ...call, pid: process.pid };
    appendFileSync(path(files.calls), `${JSON.stringify(line)}\n`);
  }

  async function during<Result>(
    method: string,
    name: string,
    work: (order: Order) => Result,
  ): Promise<Result> {
    record({ method, name, config: config?.get("test:flavour") });
    const order = read<Record<string, Order>>(files.orders, {})[`${method} ${name}`] ?? {};
    const { waitFor, heedsNoInterrupt } = order;
    if (heedsNoInterrupt) process.on("SIGINT", () => record({ method: "interrupted", name }));
    while (waitFor && !existsSync(path(waitFor))) await delay(pollIntervalMs);
    if (order.throw) throw new Error(order.throw);
    return work(order);
  }

  /** Creates the box, or replaces it. */
  function put(news: Box, order: Order, nextSerial: (old: number) => number): Box {
    const boxes = read<Boxes>(files.boxes, {});
    const serial = nextSerial(boxes[news.name]?.serial ?? 0);
    boxes[news.name] = { serial, size: news["size"] };
    writeFileSync(path(files.boxes), JSON.stringify(boxes));
    const outputs = { ...news, serial, label: `${news.name} no. ${serial}` };
    if (!order.unfinished) return outputs;
    // eslint-disable-next-line @typescript-eslint/only-throw-error -- what the dynamic host takes for a partial failure
    throw { id: news.name, properties: outputs, reasons: order.unfinished, message: "unfinished" };
  }

  return {
    configure(request: Configuration) {
      config = request.config;
    },
    check: (_olds: Box, news: Box) =>
      during("check", news.name, () => ({
        inputs: { color: "grey", ...news },
        failures: [],
      })),
    /** Another `kind` of box is another box; the engine compares the rest. */
    diff: (_id: string, olds: Box, news: Box) =>
      during("diff", news.name, () => ({
        replaces: olds["kind"] === news["kind"] ? [] : ["kind"],
      })),
    create: (news: Box) =>
      during("create", news.name, (order) => {
        const outs = put(news, order, (serial) => serial + 1);
        return { id: news.name, outs };
      }),
    update: (_id: string, _olds: Box, news: Box) =>
      during("update", news.name, (order) => ({
        outs: put(news, order, (serial) => serial),
      })),
    read: (id: string, olds: Partial<Box>) =>
      during("read", id, () => {
        const box = read<Boxes>(files.boxes, {})[id];
        return box ? { id, props: { ...olds, ...box } } : { id: "", props: {} };
      }),
    delete: (id: string) => during("delete", id, () => undefined),
  };
}
