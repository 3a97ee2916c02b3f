import { randomBytes } from "node:crypto";

const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";
const LENGTH = 20;

/**
 * A new id for a tool call as the client sees it: 25 characters that every dialect accepts. 100 of its bits are random, so
 * nobody can guess the id of somebody else's call.
 */
export function newCallId(): string {
  let id = "call_";
  for (const byte of randomBytes(LENGTH)) id += ALPHABET[byte % ALPHABET.length];
  return id;
}
