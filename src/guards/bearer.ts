import type { IncomingHttpHeaders } from "node:http";

/** What a request brings as its bearer. */
export function bearerOf({ authorization }: IncomingHttpHeaders): string | undefined {
  return /^bearer +(.*)$/i.exec(authorization ?? "")?.[1]?.trim();
}
