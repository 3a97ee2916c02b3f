export interface StartedSimulator {
  readonly url: string;
  reset(): Promise<void>;
  configure(changes: object): Promise<void>;
  stop(): Promise<void>;
}

export function startSimulator(
  main: string,
  transport: "h1" | "h2",
  flags?: readonly string[],
): Promise<StartedSimulator>;
