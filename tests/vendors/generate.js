// Writes the schemas of the replies of OpenAI and Anthropic, from the types of their official packages. With --check, writes
// nothing and fails when the schemas differ from the installed packages. The generator stays at 2.4: newer versions need
// Node 22; it bundles TypeScript 5, because 7 has no programmatic API.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { createGenerator } from "ts-json-schema-generator";

const here = dirname(fileURLToPath(import.meta.url));
const { resolve } = createRequire(import.meta.url);
const vendors = [
  { name: "openai", packageName: "openai", type: "OpenAiReplies" },
  { name: "anthropic", packageName: "@anthropic-ai/sdk", type: "AnthropicReplies" },
];

const stale = vendors.filter((vendor) => {
  const file = join(here, `${vendor.name}.schema.json`);
  const text = writeSchema(vendor);
  if (readIfThere(file) === text) return false;
  if (!process.argv.includes("--check")) writeFileSync(file, text);
  return true;
});
if (process.argv.includes("--check")) {
  for (const { name, packageName } of stale) {
    console.error(
      `tests/vendors/${name}.schema.json is out of step with ${packageName}. Run: npm run generate:vendors`,
    );
    process.exitCode = 1;
  }
  if (stale.length === 0) console.log("the vendors' schemas are in step with their packages");
}

function writeSchema({ name, packageName, type }) {
  const generator = createGenerator({
    path: join(here, `${name}-types.ts`),
    tsconfig: join(here, "..", "..", "tsconfig.json"),
    type,
    jsDoc: "none",
    expose: "all",
    // The schemas are as strict as the types: no unknown fields. allowances.ts lists the exceptions.
    additionalProperties: false,
    // `npm run check` does that, with the project's own compiler.
    skipTypeCheck: true,
  });
  const { definitions } = generator.createSchema(type);
  const { version } = JSON.parse(readFileSync(join(packageFolder(packageName), "package.json"), "utf8"));
  // One line per type keeps the file and its diffs short.
  const lines = Object.keys(definitions)
    .sort()
    .map((key) => `${JSON.stringify(key)}: ${JSON.stringify(definitions[key])}`);
  return `{"$comment": "${packageName} ${version}",\n"definitions": {\n${lines.join(",\n")}\n}}\n`;
}

function packageFolder(packageName) {
  const entry = resolve(packageName);
  return entry.slice(0, entry.lastIndexOf(packageName) + packageName.length);
}

function readIfThere(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
