// A proxy that copies ready-made bytes from an HTTP/2 stream to an HTTP/1.1 response without reading them: nothing
// between a client and an HTTP/2 server in Node can cost less.
import { createServer } from "node:http";
import { connect } from "node:http2";

const session = connect(process.argv[2], { settings: { initialWindowSize: 256 * 1024, enablePush: false } });
session.once("connect", () => session.setLocalWindowSize(512 * 1024 * 1024));

const server = createServer((request, response) => {
  const parts = [];
  request.on("data", (part) => parts.push(part));
  request.once("end", () => {
    const upstream = session.request({ ":method": "POST", ":path": request.url });
    upstream.on("error", () => response.destroy());
    response.once("close", () => upstream.readableEnded || upstream.close());
    upstream.once("response", (headers) => {
      response.writeHead(200, { "content-type": headers["content-type"], "cache-control": "no-cache" });
      response.flushHeaders();
      upstream.pipe(response);
    });
    upstream.end(Buffer.concat(parts));
  });
});
server.on("connection", (socket) => socket.setNoDelay(true));
server.listen(0, "127.0.0.1", () => process.send({ port: server.address().port }));
