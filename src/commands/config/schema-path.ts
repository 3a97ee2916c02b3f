import { existsSync, realpathSync } from "node:fs";
import { dirname, parse, relative, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { unlessMissing } from "../../unless-missing.js";

/** In the package, beside the program. */
const schemaUrl = new URL(
  import.meta.url.endsWith(".ts") ? "../../../dist/curlew.schema.json" : "../curlew.schema.json",
  import.meta.url,
);

/**
 * What `$schema` says in a settings file, so that editors find the schema without a network: a path from the file into the installed
 * package. On another drive of Windows only a URL leads there. Undefined if the package will not stay, as one that npx has fetched.
 */
export function schemaPath(settingsFile: string, schema = fileURLToPath(schemaUrl)): string | undefined {
  if (!existsSync(schema) || /[\\/]_npx[\\/]/.test(schema)) return undefined;
  const folder = dirname(settingsFile);
  // Editors resolve the path from where the file really is.
  const real = unlessMissing(() => realpathSync(folder)) ?? folder;
  if (parse(real).root !== parse(schema).root) return pathToFileURL(schema).href;
  const path = relative(real, schema).split(sep).join("/");
  return path.startsWith(".") ? path : `./${path}`;
}
