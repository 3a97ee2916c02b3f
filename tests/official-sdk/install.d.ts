export function installSdk(wanted: {
  version: string;
  nodeMajor?: string;
  hasSqlite?: boolean;
}): Promise<{ version: string; module: string; node: string }>;
