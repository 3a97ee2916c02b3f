export function npmFolder(name: string, packages: readonly string[]): Promise<string>;
export function nodeBinFolder(major: string): Promise<string>;
export function ownFolder(name: string): string;
