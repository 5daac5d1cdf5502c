/** An operation that failed after there was something to remember: the state is saved, and the next one goes on from it. */
export class UnfinishedError<State> extends Error {
  readonly state: State;

  /** @param cause why, told as a whole: its message is the message */
  constructor(cause: Error, state: State) {
    super(cause.message, { cause });
    this.name = "UnfinishedError";
    this.state = state;
  }
}
