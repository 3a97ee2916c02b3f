export interface StartedCurlew {
  readonly firstLine: string;
  log(): string;
  stop(): Promise<void>;
}

export function startCurlew(
  main: string,
  args: readonly string[],
  env?: Readonly<Record<string, string | undefined>>,
): Promise<StartedCurlew>;
