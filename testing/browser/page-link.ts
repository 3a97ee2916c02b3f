import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { z } from "zod";

const mainFile = fileURLToPath(new URL("../../dist/main.js", import.meta.url));

/** A single-use link to the page of the gateway at this address, as `curlew dashboard` prints it. */
export async function pageLink(home: string, gatewayUrl: string): Promise<string> {
  const { PATH = "" } = process.env;
  const args = [mainFile, "dashboard", "--json", "--port", new URL(gatewayUrl).port];
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    env: { PATH, HOME: home, CURLEW_HOME: home },
  });
  return z.object({ link: z.url() }).parse(JSON.parse(stdout)).link;
}
