import type { Page } from "playwright-core";
import type { SampleGateway } from "./sample-gateway.js";
import type { StagedPage } from "./staged-page.js";

export interface Picture {
  readonly name: string;
  /** How much of it is worth seeing on a desk. */
  readonly deskHeight: number;
  /** Brings the page into the state that is to be seen. */
  readonly show: (staged: StagedPage) => Promise<void>;
  /** Ends what would be seen in the next pictures. */
  readonly leave?: (staged: StagedPage) => Promise<void>;
}

const ANSWER = [
  "A **curlew** is a wading bird with a long, curved bill.",
  "",
  "```js",
  "const bill = { shape: 'curved', centimetres: 15 };",
  "```",
  "",
  "It probes mud and soft ground for worms and crabs.",
].join("\n");

/** What is worth a picture: every view, and what one comes to from it. */
export function pictures({ toolTurn, edited }: SampleGateway["ids"]): Picture[] {
  return [
    { name: "now", deskHeight: 1_000, show: (staged) => staged.show("Now") },
    { name: "requests", deskHeight: 900, show: (staged) => staged.show("Requests") },
    { name: "request", deskHeight: 960, show: (staged) => openRequest(staged, toolTurn) },
    { name: "why", deskHeight: 900, show: (staged) => openRequest(staged, edited) },
    { name: "usage", deskHeight: 1_080, show: (staged) => showUsage(staged, "Tokens") },
    { name: "cost", deskHeight: 1_080, show: (staged) => showUsage(staged, "Cost") },
    { name: "models", deskHeight: 900, show: (staged) => staged.show("Models") },
    { name: "clients", deskHeight: 860, show: showClients },
    { name: "playground", deskHeight: 900, show: showPlayground, leave: answerCall },
  ];
}

async function openRequest(staged: StagedPage, id: string): Promise<void> {
  await staged.show("Requests");
  await goTo(staged.page, `#/requests/${id}`);
  await staged.page.getByRole("region", { name: "Timeline" }).waitFor();
  await staged.settled();
}

async function showUsage(staged: StagedPage, measure: string): Promise<void> {
  await staged.show("Usage");
  await staged.page.getByRole("button", { name: "30 days" }).click();
  await staged.page.getByRole("button", { name: measure, exact: true }).click();
  await staged.page.getByRole("region", { name: `${measure} by day` }).waitFor();
  await staged.settled();
}

async function showClients(staged: StagedPage): Promise<void> {
  await staged.show("Models");
  await staged.page.getByRole("tab", { name: "Clients" }).click();
  await staged.page.getByRole("heading", { level: 3, name: "OpenCode" }).click();
  await staged.settled();
}

/** An answer with code in it, and a call of a tool that waits for its result. */
async function showPlayground(staged: StagedPage): Promise<void> {
  const { page } = staged;
  await staged.show("Playground");
  const again = page.getByRole("button", { name: "New conversation" });
  if (await again.isEnabled()) await again.click();
  else await page.getByRole("button", { name: "A question that needs a tool" }).click();
  await say(page, `What is a curlew? [[think A wader of the shore.]] [[say ${ANSWER}]] [[usage 1840 96 1210 300 24]]`);
  await page.getByRole("button", { name: "Send", exact: true }).waitFor();
  // What is seen of the conversation has no directives in it.
  await say(page, 'Now call the tool get_weather with {"city": "Lisbon"}, please.');
  await page.getByLabel("Result of get_weather").waitFor();
}

async function answerCall({ page }: StagedPage): Promise<void> {
  await page.getByRole("button", { name: "Fill in the example" }).click();
  await page.getByRole("button", { name: "Send the result" }).click();
  await page.getByRole("article", { name: "Your results" }).last().waitFor();
  await page.getByRole("button", { name: "Send", exact: true }).waitFor();
}

async function say(page: Page, text: string): Promise<void> {
  await page.getByLabel("Message", { exact: true }).fill(text);
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page
    .getByRole("article", { name: /^Reply of/ })
    .last()
    .waitFor();
}

async function goTo(page: Page, hash: string): Promise<void> {
  await page.evaluate((to) => {
    location.hash = to;
  }, hash);
}
