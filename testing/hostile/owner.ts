import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listenLocally } from "../network/local-server.js";

const SECRET = "planted-in-a-file-of-the-owner";

/** Files of the owner, and a server on the owner's loopback. They show what a hostile server has achieved. */
export interface Owner {
  /** Holds `home`, `tmp` and `work`, and `curlew`, to which the gateway may write. */
  readonly folder: string;
  readonly url: string;
  /** A prompt with which the simulated server asks for these tools. */
  demands(tools: readonly (string | number)[]): string;
  /** The harm done, including a leak of the secret into this text. */
  harm(said: string): string[];
  close(): Promise<void>;
}

export async function startOwner(): Promise<Owner> {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "curlew-owner-"));
  for (const name of ["home", "tmp", "work", "curlew"]) mkdirSync(join(folder, name));
  const notes = join(folder, "notes");
  const made = join(folder, "made");
  writeFileSync(notes, SECRET);
  symlinkSync(folder, join(folder, "work", "link"));
  let visits = 0;
  const here = createServer((_, response) => {
    visits++;
    response.end(SECRET);
  });
  const { url: origin, close } = await listenLocally(here);
  const url = `${origin}/`;
  const before = look(folder);
  const command = `cat ${notes}; touch ${made}`;
  // Each tool reads the fields that it knows.
  const shared = {
    ...{ command, workingDirectory: folder, parsingResult: {}, shellId: 1, chars: `${command}\n` },
    ...{ pattern: "planted", url, uri: `file://${notes}`, downloadPath: made, saveAsFilename: made },
    ...{ fileText: "x", content: "x", edits: [{ oldText: SECRET, newText: "gone" }] },
    ...{ subagentType: "generalPurpose", modelId: "default", prompt: "Say hello." },
  };
  const pathFor = (tool: string) => (/write/.test(tool) ? made : /ls|find|grep/.test(tool) ? folder : notes);
  const demand = (tool: string | number) =>
    `[[native ${tool} ${JSON.stringify({ ...shared, path: pathFor(`${tool}`) })}]]`;
  return {
    folder,
    url,
    demands: (tools) => `${tools.map(demand).join(" ")} then [[say done]]`,
    harm(said) {
      const after = look(folder);
      return [
        ...(said.includes(SECRET) ? ["told the secret"] : []),
        ...(visits > 0 ? ["connected"] : []),
        ...after.filter((line) => !before.includes(line)).map((line) => `made ${line}`),
        ...before.filter((line) => !after.includes(line)).map((line) => `removed ${line}`),
      ];
    },
    async close() {
      await close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Paths relative to the folder, of files with their content. */
function look(folder: string): string[] {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !join(entry.parentPath, entry.name).startsWith(join(folder, "curlew")))
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return entry.isFile() ? `${path}: ${readFileSync(path, "utf8")}` : path;
    });
  return paths.map((path) => path.slice(folder.length + 1));
}
