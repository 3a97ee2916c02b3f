import type { IncomingHttpHeaders } from "node:http";

/** What a request brings as its bearer. */
export function bearerOf({ authorization }: IncomingHttpHeaders): string | undefined {
  if (authorization === undefined || !/^bearer /i.test(authorization)) return undefined;
  return authorization.slice("bearer ".length).trim();
}
