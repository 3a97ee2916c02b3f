import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { makeFolder } from "../../make-folder.js";
import { replaceFile } from "../../replace-file.js";
import { openBrowser } from "../terminal/open-browser.js";

/**
 * Opens a link that is a secret. Other users can read what a program is started with, and could be faster than the browser; so it
 * gets a file of the owner that leads to the link. The next one replaces it. False if there is no browser.
 */
export async function openUnseen(link: string, folder: string, platform: NodeJS.Platform): Promise<boolean> {
  const path = join(folder, `open-${new URL(link).port || "80"}.html`);
  try {
    makeFolder(folder);
    replaceFile(path, pageTo(link));
  } catch {
    return false; // the link is on the terminal, too
  }
  return openBrowser(pathToFileURL(path).href, platform);
}

function pageTo(link: string): string {
  return `<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=${link}">
<title>Curlew</title>
<a href="${link}">Open the page</a>
`;
}
