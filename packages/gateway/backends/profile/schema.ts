import { z } from "zod";
import { countNames, MAX_NAMES, NAME_PATTERN } from "./name-patterns.js";

/** Only these domains may get the account's token. They are code, so that an overlay copied from elsewhere cannot send it to a stranger. */
const CURSOR_DOMAINS = ["cursor.sh", "cursor.com"];

const keyword = () => z.enum(["anyOf", "oneOf", "allOf"], "one of anyOf, oneOf, allOf");

/** The forms of a model's id: its base with parameters, the name in Cursor's list, the base alone, that name marked as a variant's. */
const idShape = () => z.enum(["parameters", "slug", "base", "variant"], "one of parameters, slug, base, variant");

/** The evidence for an entry: when it was last seen to hold, and by whom. */
const evidence = () => ({
  seen: matching(/^\d{4}-\d{2}(-\d{2})?$/, "a month or a day such as 2026-10 or 2026-10-01").optional(),
  source: z.string("a text").max(500, "a text of at most 500 characters").optional(),
});

/** Curlew's assumptions about Cursor. A function, because a schema takes time to build, and only an overlay needs one. */
export function profileSchema() {
  return z.strictObject({
    updated: day(),
    /** The client that the agent's calls claim to be, unless a setting says otherwise. */
    agentClient: z.enum(["cli", "sdk"], "cli or sdk"),
    clients: z.strictObject({
      cli: client(/^cli-[\w.-]{1,80}$/, "the version of a Cursor CLI such as cli-2026.10.01-e373342"),
      sdk: client(/^sdk-[\w.-]{1,80}$/, "the version of a Cursor SDK such as sdk-1.0.32"),
      ide: client(/^\d+(\.\d+){1,4}$/, "the version of Cursor's desktop app such as 3.10.20"),
    }),
    hosts: z.strictObject({
      api: host(),
      rest: host(),
      website: host(),
      /** For runs of accounts with privacy mode on, unless the server config names another. */
      privateAgent: host(),
      /** The same for accounts with privacy mode off. */
      openAgent: host(),
      ...evidence(),
    }),
    conversations: z.strictObject({
      /** The id of a conversation after a run of it has ended with an unanswered call: a new one, or the same. */
      idAfterOpenCall: z.enum(["new", "same"], "new or same"),
      ...evidence(),
    }),
    /** Models that behave alike on the wire. Of several that fit a model, the first that has a rule wins. */
    families: entries(
      z.strictObject({
        match: patterns(),
        idShapes: z.array(idShape(), "a list of forms of ids").optional(),
        schema: z.strictObject({ refuses: z.array(keyword(), "a list of keywords") }, "an object").optional(),
        /** Whether the model gets its tools by name only, without descriptions and schemas: a first guess, until Cursor says it. */
        dynamicTools: z.boolean("true or false").optional(),
        ...evidence(),
      }),
    ),
    vendors: entries(
      z.strictObject({
        /** Names that clients have, or had, built in. They list versions, because a wildcard would accept typing errors. */
        known: patterns(),
        /** All names that belong to the vendor, including Cursor's. */
        members: patterns(),
        /** Price ranks by the words of a name. The first word that occurs wins; `""` is for names without any of them. */
        prices: z.record(z.string(), z.int("a whole number").min(1, "a whole number from 1 up"), "an object of ranks"),
        /** Words of variants for which Cursor charges more. */
        surcharged: z.array(z.string("a word"), "a list of words"),
        ...evidence(),
      }),
    ),
  });
}

export type CursorProfile = z.infer<ReturnType<typeof profileSchema>>;

export function day() {
  const must = "a day such as 2026-11-16";
  return matching(/^\d{4}-\d{2}-\d{2}$/, must).refine((value) => !Number.isNaN(Date.parse(value)), must);
}

function client(version: RegExp, must: string) {
  return z.strictObject({
    version: matching(version, must),
    userAgent: matching(/^[!-~]{1,100}$/, "one word of printable characters"),
    ...evidence(),
  });
}

function host() {
  const must = `an https:// address below ${CURSOR_DOMAINS.join(" or ")}, without a path; for any other host, use the settings backendUrl, agentUrl and websiteUrl`;
  return z.string(must).refine((value) => {
    if (!URL.canParse(value)) return false;
    const { protocol, hostname, origin } = new URL(value);
    return (
      protocol === "https:" &&
      origin === value &&
      CURSOR_DOMAINS.some((domain) => `.${hostname}`.endsWith(`.${domain}`))
    );
  }, must);
}

function entries<Entry>(entry: z.ZodType<Entry>) {
  return z.record(z.string().min(1).max(100), entry, "an object with named entries");
}

function patterns() {
  const pattern = matching(NAME_PATTERN, "a name in lower case, with * for any text and {a,b} for one of some texts");
  const must = `patterns that stand for at most ${MAX_NAMES} names`;
  return z.array(pattern, "a list of names").refine((list) => countNames(list) <= MAX_NAMES, must);
}

function matching(pattern: RegExp, must: string) {
  return z.string(must).max(500, must).regex(pattern, must);
}
