import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Checks the SBOM that is attached to a release. */
export async function checkSbom() {
  const options = { cwd: root, maxBuffer: 64 * 1_048_576 };
  const { stdout } = await promisify(execFile)(process.execPath, [join(root, "release", "sbom.js")], options);
  const { bomFormat, metadata, components, dependencies } = JSON.parse(stdout);
  assert.deepEqual([bomFormat, metadata.component.name], ["CycloneDX", "curlew"]);
  const purls = components.map(({ purl }) => purl);
  for (const folder of JSON.parse(readFileSync(join(root, "bundled.json"), "utf8"))) {
    const { name, version } = JSON.parse(readFileSync(join(root, "node_modules", folder, "package.json"), "utf8"));
    assert.ok(purls.includes(`pkg:npm/${name.replace("@", "%40")}@${version}`), `${name} ${version} is missing`);
  }
  const { devDependencies, optionalDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  for (const name of Object.keys(optionalDependencies))
    assert.ok(
      components.some((each) => each.name === name),
      name,
    );
  assert.ok("vitest" in devDependencies && !components.some(({ name }) => name === "vitest"));
  const refs = new Set([metadata.component["bom-ref"], ...components.map((each) => each["bom-ref"])]);
  for (const { ref, dependsOn } of dependencies)
    assert.ok(
      [ref, ...dependsOn].every((each) => refs.has(each)),
      ref,
    );
}
