// Checks the container image without an engine: it builds from the files that .dockerignore includes, and the files of its last
// stage run with its entry point and environment.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../..", import.meta.url));
const dockerfile = readFileSync(join(root, "Dockerfile"), "utf8");

export async function checkImageFiles(folder) {
  const build = join(folder, "build");
  mkdirSync(build);
  for (const name of letIn()) {
    cpSync(join(root, name), join(build, name), { recursive: true, filter: (path) => !path.endsWith(".test.ts") });
  }
  symlinkSync(join(root, "node_modules"), join(build, "node_modules"));
  await run(process.execPath, ["build.js"], { cwd: build });

  const image = join(folder, "image");
  mkdirSync(image);
  for (const [, names] of dockerfile.matchAll(/^COPY --from=build (\/curlew\/.+) \S+$/gm)) {
    // The libraries outside the bundle are optional; other checks install them.
    for (const name of names.split(" ").map((path) => path.replace("/curlew/", ""))) {
      if (name !== "node_modules") cpSync(join(build, name), join(image, name), { recursive: true });
    }
  }
  const [, ...entry] = JSON.parse(/^ENTRYPOINT (.+)$/m.exec(dockerfile)[1]);
  const words = /^ENV (.+)$/m.exec(dockerfile)[1].split(" ");
  const env = { ...Object.fromEntries(words.map((word) => word.split("="))), CURLEW_HOME: join(folder, "data") };
  const ask = ["ask", "--backend", "simulator", "[[say a curlew]]"];
  const { stdout } = await run(process.execPath, [...entry, ...ask], { cwd: image, env });
  assert.match(stdout, /a curlew/);
  // It must not start on every address without a key.
  const open = await run(process.execPath, [...entry, "serve", "--backend", "simulator"], { cwd: image, env }).catch(
    (failure) => failure,
  );
  assert.equal(open.code, 2);
  assert.match(open.stderr, /CURLEW_KEY/);
}

function letIn() {
  const lines = readFileSync(join(root, ".dockerignore"), "utf8").split("\n");
  return lines.filter((line) => line.startsWith("!")).map((line) => line.slice(1));
}
