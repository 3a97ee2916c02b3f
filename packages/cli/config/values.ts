import { isAbsolute } from "node:path";
import { isLoopback } from "@curlew/gateway/network/loopback.js";
import { z } from "zod";

// The kinds of values that settings have. Each error says what the value must be.

export function wholeNumber(min: number, max: number) {
  const must = `a whole number from ${min} to ${max}`;
  return z.preprocess(
    (value) => (typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value),
    z.int(must).min(min, must).max(max, must),
  );
}

export function yesOrNo() {
  const must = "true or false";
  return z.preprocess((value) => (value === "true" ? true : value === "false" ? false : value), z.boolean(must));
}

export function oneOf<const Choice extends string>(choices: readonly Choice[]) {
  return z.enum(choices, `one of ${choices.join(", ")}`);
}

export function text(must: string) {
  return z.string(must).min(1, must);
}

export function folder() {
  const must = "absolute paths of folders";
  return z.string(must).refine((value) => isAbsolute(value), must);
}

export function token() {
  return matching(/^[!-~]+$/, "one line of printable characters without blanks");
}

/** Without flags such as `i`, which a JSON Schema cannot express. */
export function matching(pattern: RegExp, must: string) {
  return z.string(must).regex(pattern, must);
}

export function list<Item extends string>(item: z.ZodType<Item>): z.ZodType<readonly Item[]> {
  return z.preprocess((value) => parts(value, ","), z.array(item, "a list"));
}

/** `name=value, ...` as text, an object in the file. */
export function pairs<Value>(value: z.ZodType<Value>, must: string) {
  // The value may have an equals sign itself: `mine=opus[effort=low]`.
  const split = (text: string) =>
    text.split(",").map((pair) => (/^([^=]*)=(.*)$/s.exec(pair) ?? [pair, pair]).slice(1).map((part) => part.trim()));
  return z.preprocess(
    (given) => (typeof given === "string" ? Object.fromEntries(given.trim() === "" ? [] : split(given)) : given),
    z.record(z.string().min(1, must), value, must),
  );
}

export function prices() {
  const must =
    'models (or patterns such as gpt-5*), each with its US dollars per million tokens, such as {"input": 2, "output": 10, "cacheRead": 0.2, "cacheWrite": 2.5}; the last two may be left out';
  const amount = "US dollars per million tokens, a number from 0 to 100000";
  const dollars = z.number(amount).min(0, amount).max(100_000, amount);
  const shape = { input: dollars, output: dollars, cacheRead: dollars.optional(), cacheWrite: dollars.optional() };
  const names = Object.keys(shape).join(", ");
  const error = ({ code }: { code?: string }) => (code === "unrecognized_keys" ? `one of ${names}` : must);
  const price = z.strictObject(shape, { error });
  return z
    .record(z.string().min(1, must).max(200, must), price, must)
    .refine((models) => Object.keys(models).length <= 500, "prices of at most 500 models");
}

export function origin() {
  const must = "web origins such as https://example.com, separated by commas";
  return z.string(must).refine((value) => URL.canParse(value) && new URL(value).origin === value, must);
}

export function baseUrl() {
  const must = "a base URL such as https://example.com, without path, query or user";
  return z
    .string(must)
    .refine((value) => URL.canParse(value) && isBase(new URL(value)), must)
    .refine(
      (value) => !URL.canParse(value) || new URL(value).protocol === "https:" || isLoopback(new URL(value).hostname),
      "an https:// URL; plain http:// is accepted only for this machine, because your token travels on it",
    )
    .transform((value) => new URL(value).origin);
}

/** Accepts proxies of unknown kinds, because the variables are for every program: calls fail, not the start. */
export function proxyUrl() {
  const must = "the address of a proxy, such as http://proxy.example:3128 or socks5h://127.0.0.1:1080";
  return z
    .string(must)
    .transform((value) => (value.includes("://") ? value : `http://${value}`))
    .refine((value) => URL.canParse(value) && new URL(value).hostname !== "", must);
}

export function proxyExceptions() {
  return z.preprocess((value) => parts(value, /[\s,]+/), z.array(z.string(), "hosts separated by commas"));
}

/** Splits a text into its parts; returns anything else unchanged. */
function parts(value: unknown, separator: string | RegExp): unknown {
  if (typeof value !== "string") return value;
  const trimmed = value.split(separator).map((part) => part.trim());
  return trimmed.filter((part) => part !== "");
}

function isBase(url: URL): boolean {
  const isWeb = url.protocol === "https:" || url.protocol === "http:";
  return isWeb && url.pathname === "/" && url.search === "" && url.hash === "" && url.username === "";
}
