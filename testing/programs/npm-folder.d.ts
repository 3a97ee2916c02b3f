export function npmFolder(name: string, packages: readonly string[]): Promise<string>;
