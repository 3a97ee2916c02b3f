export function npmFolder(name: string, packages: readonly string[]): Promise<string>;
export function ownFolder(name: string): string;
