import type { FormatDefinition } from "ajv";
import { fullFormats } from "ajv-formats/dist/formats.js";

type Test = (value: unknown) => boolean;

/** The expression for `url` is the only one that takes quadratic time, so longer texts are parsed by `URL`. */
const MAX_URL_CHARACTERS = 2_000;

/** Tests by the name of the format. A value of a type that the format is not for passes. */
export const formatTests: ReadonlyMap<string, Test> = new Map(
  Object.entries(fullFormats).flatMap(([name, format]) => {
    const test = toTest(format);
    if (test === undefined) return [];
    return [[name, name === "url" ? (value: unknown) => (isLong(value) ? URL.canParse(value) : test(value)) : test]];
  }),
);

function isLong(value: unknown): value is string {
  return typeof value === "string" && value.length > MAX_URL_CHARACTERS;
}

function toTest(format: (typeof fullFormats)[keyof typeof fullFormats]): Test | undefined {
  if (typeof format === "string" || format === true) return undefined; // an annotation without a test
  if (typeof format === "function") return (value) => typeof value !== "string" || format(value);
  if (format instanceof RegExp) return (value) => typeof value !== "string" || format.test(value);
  if (format.async === true) return undefined;
  if (isOfNumbers(format)) return (value) => typeof value !== "number" || format.validate(value);
  const { validate } = format;
  if (typeof validate !== "function") return undefined;
  return (value) => typeof value !== "string" || validate(value);
}

function isOfNumbers(format: FormatDefinition<string> | FormatDefinition<number>): format is FormatDefinition<number> {
  return format.type === "number";
}
