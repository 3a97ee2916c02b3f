import { expect, it } from "vitest";
import { jsonPost, RawClient } from "../../../../testing/clients/raw-client.js";
import { serveRoutes } from "../../../../testing/gateway/serve-gateway.js";
import { ManualClock } from "../../../../testing/manual-clock.js";
import { serveHttp } from "../../../../testing/network/serve-http.js";
import { GatewayError } from "../../turn/error.js";
import { LINGER_MS } from "./answer.js";
import type { Guard, Route } from "./router.js";

const fine = { status: 200, headers: {}, body: "fine" };

async function setUp(serve: Route["serve"] = () => fine, refusing = "") {
  const asked: string[] = [];
  const logged: object[] = [];
  const note = (fields: object) => logged.push(fields);
  const guard =
    (name: string): Guard =>
    ({ headers }) => {
      asked.push(name);
      if (refusing === name) throw new GatewayError("forbidden_host", "No.");
      return headers["x-answer"] === name ? { ...fine, body: name } : undefined;
    };
  const clock = new ManualClock();
  const url = await serveHttp(
    serveRoutes([{ method: "POST", path: "/turn", serve }], {
      guards: [guard("first"), guard("second")],
      routeGuards: [guard("third")],
      log: { info: note, warn: note, error: note },
      clock,
    }),
  );
  const post = async (path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(url + path, { method: "POST", body: "{}", headers });
    return [response.status, await response.text()];
  };
  const connect = () => RawClient.connect(Number(new URL(url).port));
  return { asked, logged, clock, post, connect };
}

it.each(["/turn", "/turn?beta=true", "/t%75rn", "/api/v1/../../turn"])(
  "%s passes each guard once, in their order, and is one line in the log",
  async (path) => {
    const { asked, logged, post } = await setUp();
    expect(await post(path)).toEqual([200, "fine"]);
    expect(asked).toEqual(["first", "second", "third"]);
    expect(logged).toMatchObject([{ route: "POST /turn", status: 200 }]);
  },
);

it.each([
  ["first", ["first"]],
  ["third", ["first", "second", "third"]],
])("a request that the %s guard refuses reaches no other guard and no route", async (name, met) => {
  const { asked, logged, post } = await setUp(undefined, name);
  expect((await post("/turn"))[0]).toBe(403);
  expect(asked).toEqual(met);
  expect(logged).toMatchObject([{ status: 403, outcome: "forbidden_host" }]);
});

it("a guard may answer in place of the route", async () => {
  const { asked, post } = await setUp();
  expect(await post("/turn", { "x-answer": "second" })).toEqual([200, "second"]);
  expect(asked).toEqual(["first", "second"]);
});

it("a route that fails in the middle of its answer cuts the connection, and the log says why", async () => {
  const { logged, connect } = await setUp(({ outgoing }) => {
    outgoing.writeHead(200).write("half");
    throw new TypeError("broken");
  });
  const client = await connect();
  client.send(jsonPost("/turn", {}));
  await client.closed;
  expect(client.received).not.toContain("error");
  expect(logged).toMatchObject([{ err: expect.any(TypeError) }, { status: 200, outcome: "server_error" }]);
});

it("a body that no route reads is discarded, and the connection stays open", async () => {
  const { connect } = await setUp();
  const client = await connect();
  client.send(jsonPost("/turn", "x".repeat(300_000)) + jsonPost("/turn", {}));
  expect(await client.until("fine", 2)).not.toContain("400 Bad Request");
  client.socket.destroy();
});

it("a client that continues to send such a body loses its connection after a while", async () => {
  const { clock, connect } = await setUp();
  const client = await connect();
  client.send("POST /turn HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000000\r\n\r\n{");
  await client.until("fine");
  clock.advance(LINGER_MS - 1);
  expect(client.socket.destroyed).toBe(false);
  clock.advance(1);
  await client.closed;
});
