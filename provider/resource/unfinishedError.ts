/** An operation that failed after some progress: its state is saved, and the next operation continues from it. */
export class UnfinishedError<State> extends Error {
  readonly state: State;

  /** @param cause the explained error; its message becomes this error's message */
  constructor(cause: Error, state: State) {
    super(cause.message, { cause });
    this.name = "UnfinishedError";
    this.state = state;
  }
}
