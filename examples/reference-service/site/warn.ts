/** Called for everything in the source that will not work as its author meant. */
export type Warn = (subject: string, problem: string) => void;
