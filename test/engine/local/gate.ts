/** Callers that wait at it continue once it is open. */
export interface Gate {
  open: () => void;
  opened: Promise<void>;
}

export function createGate(): Gate {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open, opened };
}
