import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { mainFile } from "../programs/main-file.js";

/** Plays the user in the browser that the sign-in opens: reads the page and presses its button. */
export const browser = `#!${process.execPath}
const [, , url] = process.argv;
(async () => {
  const page = await (await fetch(url)).text();
  const action = /<form action="([^"]+)">/.exec(page)?.[1];
  if (action === undefined) return;
  const fields = [...page.matchAll(/name="(\\w+)" value="([^"]*)"/g)].map(([, name, value]) => [name, value]);
  const headers = { "content-type": "application/json" };
  await fetch(new URL(action, url), { method: "POST", headers, body: JSON.stringify(Object.fromEntries(fields)) });
})();
`;

export interface NewMachine {
  readonly home: string;
  /** The first folder of its PATH. */
  readonly bin: string;
  /** An empty folder to work in. */
  readonly workspace: string;
  readonly env: Readonly<Record<string, string>>;
  remove(): Promise<void>;
}

const TRY_AGAIN_MS = 50;
const MOST_TRIES = 200;

/** Nothing listens there: requests to the internet fail at once. */
const NOWHERE = "http://127.0.0.1:9";

/** A machine with an empty home on which Node, `curlew` and these folders of programs are all that is installed. */
export function newMachine(programs: readonly string[], more: Readonly<Record<string, string>> = {}): NewMachine {
  const folder = mkdtempSync(join(tmpdir(), "curlew-machine-"));
  const [home, bin, workspace] = ["home", "bin", "project"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  for (const path of [home, bin, workspace]) mkdirSync(path);
  symlinkSync(process.execPath, join(bin, "node"));
  symlinkSync(mainFile, join(bin, "curlew"));
  for (const name of ["xdg-open", "open"]) {
    writeFileSync(join(bin, name), browser);
    chmodSync(join(bin, name), 0o755);
  }
  return {
    home,
    bin,
    workspace,
    env: {
      PATH: [bin, ...programs, "/usr/bin", "/bin"].join(delimiter),
      HOME: home,
      LANG: "C.UTF-8",
      COLORTERM: "truecolor",
      PS1: "$ ",
      HTTP_PROXY: NOWHERE,
      HTTPS_PROXY: NOWHERE,
      NO_PROXY: "127.0.0.1,localhost",
      CURLEW_CREDENTIAL_STORE: "file",
      ...more,
    },
    remove: () => removeFolder(folder),
  };
}

/** Retries, because a program that was just ended may still write to the folder. */
async function removeFolder(folder: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      rmSync(folder, { recursive: true, force: true });
      return;
    } catch (thrown) {
      if (tries === MOST_TRIES) throw thrown;
      await pause(TRY_AGAIN_MS);
    }
  }
}
