import type { Stack } from "./stack.ts";

/** The same stack; everything that its operations show is also put into `texts`. */
export function recordedStack(stack: Stack, texts: string[]): Stack {
  const recorded =
    (run: Stack["up"]): Stack["up"] =>
    async (options) => {
      const result = await run(options);
      texts.push(result.text, JSON.stringify(result.logs), result.error ?? "");
      return result;
    };
  return {
    ...stack,
    preview: recorded((options) => stack.preview(options)),
    up: recorded((options) => stack.up(options)),
    refresh: recorded((options) => stack.refresh(options)),
    destroy: recorded((options) => stack.destroy(options)),
  };
}
