// Prints the software bill of materials of the package (CycloneDX): what is bundled (bundled.json), and what npm installs beside it.
// `npm sbom` knows only the second, and everything that this project is developed with.
//   node release/sbom.js > curlew.cdx.json
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const MAX_BYTES = 64 * 1_048_576;

const all = npmSbom([]);
const installed = new Set(npmSbom(["--omit=dev"]).components.map(refOf));
const bundled = new Set(readJson("bundled.json").map((folder) => packageOf(join("node_modules", folder))));
const components = all.components.filter((each) => installed.has(refOf(each)) || bundled.has(refOf(each)));
const missing = [...bundled].filter((ref) => !components.some((each) => refOf(each) === ref));
if (missing.length > 0) throw new Error(`npm sbom does not name what is bundled: ${missing.join(", ")}`);
const { name } = readJson("package.json");
const refs = new Set([all.metadata.component["bom-ref"], ...components.map(refOf)]);
const sbom = {
  ...all,
  // npm names it after the folder that it is in.
  metadata: { ...all.metadata, component: { ...all.metadata.component, name } },
  components: components.map((each) => ({ ...each, properties: each.properties.filter(isTrue) })),
  dependencies: all.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((each) => refs.has(each)) })),
};
console.log(JSON.stringify(sbom, null, 2));

function npmSbom(options) {
  const args = ["sbom", "--sbom-format=cyclonedx", ...options];
  return JSON.parse(
    execFileSync("npm", args, { cwd: root, maxBuffer: MAX_BYTES, stdio: ["ignore", "pipe", "ignore"] }),
  );
}

function refOf(component) {
  return component["bom-ref"];
}

function packageOf(folder) {
  const { name: packageName, version } = readJson(join(folder, "package.json"));
  return `${packageName}@${version}`;
}

/** npm marks bundled packages as development dependencies, which they are not. */
function isTrue({ name: property }) {
  return property !== "cdx:npm:package:development";
}

function readJson(path) {
  return JSON.parse(readFileSync(join(root, path), "utf8"));
}
