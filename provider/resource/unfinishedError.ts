/** An operation that failed after there was something to remember: the state is saved, and the next one goes on from it. */
export class UnfinishedError<State> extends Error {
  readonly state: State;

  constructor(message: string, state: State) {
    super(message);
    this.name = "UnfinishedError";
    this.state = state;
  }
}
