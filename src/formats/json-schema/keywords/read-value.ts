import { isObject, type JsonObject } from "../node.js";
import { UselessSchema } from "../reader.js";

export function readNumber(value: unknown, keyword: string): number {
  if (typeof value !== "number") throw new UselessSchema(`${keyword} must be a number`);
  return value;
}

export function readCount(value: unknown, keyword: string): number {
  const isCount = typeof value === "number" && Number.isInteger(value) && value >= 0;
  if (!isCount) throw new UselessSchema(`${keyword} must be a whole number, 0 or more`);
  return value;
}

export function readText(value: unknown, keyword: string): string {
  if (typeof value !== "string") throw new UselessSchema(`${keyword} must be a string`);
  return value;
}

export function readTexts(value: unknown, keyword: string): readonly string[] {
  const isTexts = Array.isArray(value) && value.every((each): each is string => typeof each === "string");
  if (!isTexts) throw new UselessSchema(`${keyword} must be a list of strings`);
  return value;
}

export function readList(value: unknown, keyword: string): readonly unknown[] {
  if (!Array.isArray(value) || value.length === 0)
    throw new UselessSchema(`${keyword} must be a list that is not empty`);
  return value;
}

export function readMap(value: unknown, keyword: string): JsonObject {
  if (!isObject(value)) throw new UselessSchema(`${keyword} must be an object`);
  return value;
}
