import { GatewayError } from "../../turn/error.js";

/** The value of a parameter in the query of an address. */
export type Query = (name: string) => string | undefined;

export function invalidField(param: string, problem: string): GatewayError {
  return new GatewayError("invalid_request", `${param}: ${problem}.`, { param });
}

/** A whole number from 1 on. @throws {GatewayError} `invalid_request`, if the query has something else. */
export function readCount(query: Query, param: string, usual: number, max: number, condition = ""): number {
  const text = query(param);
  if (text === undefined) return usual;
  if (!/^\d{1,4}$/.test(text) || Number(text) < 1 || Number(text) > max) {
    throw invalidField(param, `must be a whole number from 1 to ${max}${condition}`);
  }
  return Number(text);
}
