import { randomBytes } from "node:crypto";

const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";
const LENGTH = 20;

/**
 * The name of one tool call towards the client: 25 characters that every dialect accepts, 100 random bits, so that knowing
 * one means having been given it.
 */
export function newCallId(): string {
  let id = "call_";
  for (const byte of randomBytes(LENGTH)) id += ALPHABET[byte % ALPHABET.length];
  return id;
}
