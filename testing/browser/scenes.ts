import type { Page } from "playwright-core";
import type { SampleGateway } from "./sample-gateway.js";
import type { StagedPage } from "./staged-page.js";

type Scene = (staged: StagedPage, gateway: SampleGateway) => Promise<unknown>;

/** The scenes of the pictures, in the order in which they are taken: the playground adds requests. */
export const scenes = {
  now: (staged) => staged.show("Now"),
  requests: (staged) => staged.show("Requests"),
  request: openToolTurn,
  why: openEdited,
  usage: showMonthlyCost,
  models: (staged) => staged.show("Models"),
  clients: showClients,
  playground: callTool,
} satisfies Record<string, Scene>;

export type SceneName = keyof typeof scenes;

/** A turn that paused twice for tools, beside the other requests of its client. */
async function openToolTurn(staged: StagedPage, { url, ids }: SampleGateway): Promise<void> {
  await staged.page.goto(`${url}/#/requests/${ids.toolTurn}?client=opencode`);
  await staged.settled();
  await staged.page.getByRole("heading", { name: "Timeline" }).waitFor();
}

/** A request that was expensive because the conversation before it was edited. */
async function openEdited(staged: StagedPage, { url, ids }: SampleGateway): Promise<void> {
  await staged.page.goto(`${url}/#/requests/${ids.edited}?client=cline`);
  await staged.settled();
  await staged.page.getByRole("heading", { name: "Timeline" }).waitFor();
}

async function showMonthlyCost(staged: StagedPage): Promise<void> {
  await staged.show("Usage");
  await staged.page.getByRole("button", { name: "30 days" }).click();
  await staged.page.getByRole("button", { name: "Cost", exact: true }).click();
  await staged.page.getByRole("heading", { name: "Cost by day" }).waitFor();
  await staged.page.locator("[aria-busy=true]").waitFor({ state: "detached" });
}

async function showClients(staged: StagedPage): Promise<void> {
  await staged.page.getByRole("tab", { name: "Clients" }).click();
  await staged.settled();
}

/** A question, the call of a tool, its result, and the answer. */
async function callTool(staged: StagedPage): Promise<void> {
  await staged.show("Playground");
  const { page } = staged;
  await page.getByRole("button", { name: "A question that needs a tool" }).click();
  const asked = 'Call the tool get_weather with {"city":"Lisbon"}, and say what it is like there.';
  await page.getByRole("textbox", { name: "Message" }).fill(asked);
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByRole("button", { name: "Fill in the example" }).click();
  await page.getByRole("button", { name: "Send the result" }).click();
  await replies(page).nth(1).getByRole("link", { name: "Request" }).waitFor();
}

function replies(page: Page) {
  return page.getByRole("article", { name: /^Reply of/ });
}
