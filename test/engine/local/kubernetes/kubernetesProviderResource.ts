// `new kubernetes.Provider(…)`: a resource that exists in the state alone, with an id that changes with the cluster.
import { randomUUID } from "node:crypto";
import { unknownValue } from "../../stack.ts";
import { ProviderError, type Provider } from "../provider.ts";
import { changedKeys } from "../propertyValues.ts";
import { replacingKeys, unsupportedSettings } from "./kubernetesSettings.ts";

export const kubernetesProviderType = "pulumi:providers:kubernetes";

const done = () => Promise.resolve();

export const kubernetesProviderResource: Provider = {
  check(_urn, _olds, news) {
    const unsupported = unsupportedSettings(news);
    if (unsupported.length > 0) {
      const names = unsupported.map((key) => `${key} of a kubernetes.Provider`).join(", ");
      return Promise.reject(new ProviderError(`not supported by the test engine: ${names}`));
    }
    return Promise.resolve({ inputs: news, failures: [] });
  },
  diff(old, _urn, news) {
    const keys = changedKeys(old.outputs, news);
    return Promise.resolve({
      changes: keys.length > 0,
      paths: keys.map((key) => [key]),
      replaces: keys.length > 0 ? replacingKeys(old.outputs, news) : [],
      deleteBeforeReplace: false,
    });
  },
  create: (_urn, inputs) => Promise.resolve({ id: randomUUID(), outputs: inputs }),
  update: (old, _urn, inputs) => Promise.resolve({ id: old.id ?? "", outputs: inputs }),
  read: ({ id, inputs, outputs }) => Promise.resolve({ id: id ?? "", inputs, outputs }),
  delete: done,
  previewId: unknownValue,
  cancel: done,
  stop: done,
  close: done,
};
