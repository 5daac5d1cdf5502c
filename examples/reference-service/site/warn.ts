/** Called for whatever in the source will not work as its author meant. */
export type Warn = (subject: string, problem: string) => void;
