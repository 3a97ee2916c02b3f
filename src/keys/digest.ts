import { hash } from "node:crypto";

export function digestOf(key: string): Buffer {
  return hash("sha256", key, "buffer");
}
