import { expect, it, onTestFinished } from "vitest";
import { openDesk } from "./desk.js";

const key = "a-key-of-the-gateway";
const authorized = { authorization: `Bearer ${key}` };
const ask = (content: string, model = "auto") => ({ model, messages: [{ role: "user", content }] });

/** Requests that fail, each with what its line has to say: why, and what to do. */
const failures: readonly {
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly body: object;
  readonly says: readonly (string | RegExp)[];
}[] = [
  { body: ask("hi", "composer-2.6"), says: ["404", "is not in your Cursor list. Did you mean `composer-2.5`"] },
  {
    headers: {},
    body: ask("hi"),
    says: ["401", "requires its own key, and the request has none. Send the value of CURLEW_KEY"],
  },
  {
    body: ask("[[fail resource_exhausted ERROR_PRO_USER_USAGE_LIMIT]]"),
    says: ["429", "`curlew usage` shows what is left", "Your plan resets on"],
  },
  { body: { model: "auto", input: "hi" }, says: ["400", "has no messages", "send it to POST /v1/responses"] },
  {
    body: ask("[[say Half of it]] [[drop]]"),
    says: ["502", "broke off", "Try again; if it goes on, run `curlew doctor`."],
  },
];

it("the log on a terminal tells why a request failed, and what to do", async () => {
  const desk = await openDesk({
    env: { CURSOR_API_KEY: "crsr_log", CURLEW_KEY: key },
    size: { columns: 100, rows: 40 },
  });
  onTestFinished(() => desk.close());
  const { person, url } = desk;
  await person.types("curlew serve");
  await person.presses("Enter");
  await person.sees(`listens on ${url}`);
  for (const { headers = authorized, body, says } of failures) {
    const before = await entriesOf(person.terminal.scrolled());
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
    await response.text();
    await expect.poll(async () => (await entriesOf(person.terminal.scrolled())).length).toBe(before.length + 1);
    const entry = (await entriesOf(person.terminal.scrolled())).at(-1) ?? "";
    for (const words of says) expect(entry).toMatch(words);
  }
});

/** Each begins with its time, and goes on in lines that are indented. */
async function entriesOf(screen: Promise<string>): Promise<string[]> {
  const [, ...entries] = (await screen).split(/^(?=\d\d:\d\d:\d\d )/m);
  return entries.map((entry) => entry.replace(/\s+/g, " "));
}
