import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { askedServer, type ServerOptions } from "../../../../testing/gateway/asked-server.js";

const chat = { messages: [{ role: "user", content: "hi" }] };
const bodies = {
  "/v1/chat/completions": chat,
  "/v1/responses": { input: "hi" },
  "/v1/messages": { ...chat, max_tokens: 100 },
  "/v1/completions": { prompt: "hi" },
};
type Path = keyof typeof bodies;

async function post(path: Path, workspace: string, options: ServerOptions = {}) {
  const server = await askedServer(options);
  const response = await server.post(path, { model: "auto", ...bodies[path] }, { "x-curlew-workspace": workspace });
  return { response, turn: server.backend.exchanges[0]?.turn };
}

describe("x-curlew-workspace", () => {
  it.each(Object.keys(bodies) as Path[])("names the folder that a request to %s is about", async (path) => {
    const { response, turn } = await post(path, "/home/me/project", { can: { workspaces: true } });
    expect([response.status, turn?.workspace]).toEqual([200, "/home/me/project"]);
    expect(response.headers.get("x-curlew-warnings")).toBeNull();
  });

  it("applies to every request on a WebSocket that was opened with it", async () => {
    const server = await askedServer({ can: { workspaces: true } });
    const headers = { "x-curlew-workspace": "/home/me/project" };
    const socket = new WebSocket(`${server.url}/v1/responses`, { headers });
    await once(socket, "open");
    let completed = () => {};
    socket.on("message", (data: Buffer) => data.includes('"type":"response.completed"') && completed());
    for (const input of ["one", "two"]) {
      socket.send(JSON.stringify({ type: "response.create", model: "auto", input }));
      await new Promise<void>((resolve) => {
        completed = resolve;
      });
    }
    socket.terminate();
    expect(server.backend.exchanges.map(({ turn }) => turn.workspace)).toEqual([
      "/home/me/project",
      "/home/me/project",
    ]);
  });

  it("may contain any characters, as UTF-8", async () => {
    const { turn } = await post("/v1/chat/completions", Buffer.from("/home/Jürgen/模型").toString("latin1"));
    expect(turn?.workspace).toBe("/home/Jürgen/模型");
  });

  it("causes a warning if the backend does not use it", async () => {
    const { response } = await post("/v1/chat/completions", "/home/me");
    expect(response.status).toBe(200);
    expect(response.headers.get("x-curlew-warnings")).toContain("x-curlew-workspace");
  });

  it.each(["project", "../x", `/${"x".repeat(5_000)}`])(
    "is refused if it is not an absolute path or too long",
    async (path) => {
      const { response } = await post("/v1/chat/completions", path);
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ error: { param: "x-curlew-workspace" } });
    },
  );
});
