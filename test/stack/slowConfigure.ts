// Loaded into the provider process ahead of everything else: makes `configure` of our provider take two seconds.
//
// The host calls it once, with the first call that it gets, and passes the following calls on while it runs. Their number is
// logged when it ends. It is begun at once, as the host does it: those calls can only rely on what it does before its first
// await.
import Module from "node:module";
import { setTimeout } from "node:timers/promises";

interface Provider {
  configure(request: unknown): Promise<void>;
  read(id: string, properties: unknown): Promise<unknown>;
}

const CONFIGURE_MS = 2_000;

const loader = Module as unknown as { _load: (request: string, ...rest: unknown[]) => unknown };
const load = loader._load;
loader._load = function (request, ...rest) {
  const loaded = load.call(this, request, ...rest);
  if (request === "pulumi-docs-hosting/dynamic") {
    slowDown((loaded as { StaticExport: Provider }).StaticExport);
  }
  return loaded;
};

function slowDown(provider: Provider): void {
  const configure = provider.configure.bind(provider);
  const read = provider.read.bind(provider);
  let running = false;
  let reads = 0;
  provider.configure = async (request) => {
    running = true;
    await Promise.all([configure(request), setTimeout(CONFIGURE_MS)]);
    running = false;
    console.log(`${reads} reads while configure ran`);
  };
  provider.read = (id, properties) => {
    if (running) reads++;
    return read(id, properties);
  };
}
