import type { OperationResult, Stack } from "./stack.ts";

/** The same stack; all output of its operations is also added to `texts`. */
export function recordedStack(stack: Stack, texts: string[]): Stack {
  const record = ({ text, logs, error }: OperationResult): void => {
    texts.push(text, JSON.stringify(logs), error ?? "");
  };
  const recorded =
    (run: Stack["up"]): Stack["up"] =>
    async (options) => {
      const result = await run(options);
      record(result);
      return result;
    };
  return {
    ...stack,
    preview: recorded((options) => stack.preview(options)),
    up: recorded((options) => stack.up(options)),
    refresh: recorded((options) => stack.refresh(options)),
    destroy: recorded((options) => stack.destroy(options)),
    import: async (resources, options) => {
      const result = await stack.import(resources, options);
      record(result);
      return result;
    },
  };
}
