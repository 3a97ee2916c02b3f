import { describe, expect, it } from "vitest";
import type { ClientsAnswer, PageClient } from "../../access/contract.js";
import { groupClients, lastHeard, newcomers, noteBlocks } from "./client-list.js";

function client(name: string, isProven: boolean, lastSeenMs: number | null): PageClient {
  return {
    name,
    title: name.toUpperCase(),
    isProven,
    setup: `curlew setup ${name}`,
    run: null,
    snippet: null,
    notes: [],
    lastSeenMs,
    requests: lastSeenMs === null ? 0 : 1,
  };
}

const answer = (clients: readonly PageClient[], others: ClientsAnswer["others"] = []): ClientsAnswer => ({
  baseUrls: { openai: "http://gateway/v1", anthropic: "http://gateway" },
  asksForKey: false,
  clients,
  others,
});

const early = [client("a", true, null), client("b", false, 5), client("c", false, null), client("d", true, 9)];
const later = [client("a", true, 12), client("b", false, 5), client("c", false, 11), client("d", true, 9)];

const namesOf = ({ seen, tested, untested }: ReturnType<typeof groupClients>) => ({
  seen: seen.map(({ name }) => name),
  tested: tested.map(({ name }) => name),
  untested: untested.map(({ name }) => name),
});

describe("groups of clients", () => {
  it("are the seen ones, last seen first, then tested and untested ones", () => {
    expect(namesOf(groupClients(early))).toEqual({ seen: ["d", "b"], tested: ["a"], untested: ["c"] });
    expect(namesOf(groupClients(later))).toEqual({ seen: ["a", "c", "d", "b"], tested: [], untested: [] });
  });

  it("do not change on an open page when a client is seen", () => {
    const groups = groupClients(later, early);
    expect(namesOf(groups)).toEqual(namesOf(groupClients(early)));
    expect(groups.tested[0]?.lastSeenMs).toBe(12);
  });
});

describe("new clients", () => {
  it("are those not seen before, by their titles", () => {
    const tool = { name: "curl/8.0", lastSeenMs: 13, requests: 1 };
    expect(newcomers(answer(early), answer(later, [tool]))).toEqual(["A", "C", "curl/8.0"]);
    expect(newcomers(answer(later, [tool]), answer(later, [{ ...tool, requests: 2 }]))).toEqual([]);
  });

  it("are independent of the last seen one", () => {
    expect(lastHeard(answer(early))).toEqual({ name: "D", atMs: 9 });
    expect(lastHeard(answer(early, [{ name: "curl/8.0", lastSeenMs: 13, requests: 1 }]))?.name).toBe("curl/8.0");
    expect(lastHeard(answer([client("a", true, null)]))).toBeUndefined();
  });
});

it("separates values to enter from sentences", () => {
  expect(noteBlocks(["Add a connection:", "  URL  http://x/v1", "  key  anything", "and choose a model."])).toEqual([
    { isVerbatim: false, text: "Add a connection:" },
    { isVerbatim: true, text: "URL  http://x/v1\nkey  anything" },
    { isVerbatim: false, text: "and choose a model." },
  ]);
  expect(noteBlocks(["export A=1", "export B=2"])).toEqual([{ isVerbatim: true, text: "export A=1\nexport B=2" }]);
});
