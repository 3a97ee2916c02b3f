// Fails when packages/wire/gen is not what packages/wire/proto/ gives: generates again into a temporary folder and compares.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "../../..");
const fresh = mkdtempSync(join(tmpdir(), "curlew-gen-"));
try {
  // buf looks for its plugins on the PATH, and writes below -o what buf.gen.yaml calls `out`.
  const env = { ...process.env, PATH: `${join(root, "node_modules", ".bin")}${delimiter}${process.env.PATH}` };
  execFileSync("buf", ["generate", "-o", fresh], { cwd: root, env, stdio: "inherit" });
  const expected = filesOf(join(fresh, "packages", "wire", "gen"));
  const actual = filesOf(join(root, "packages", "wire", "gen"));
  const names = [...new Set([...expected.keys(), ...actual.keys()])].sort();
  const stale = names.filter((name) => expected.get(name) !== actual.get(name));
  if (stale.length > 0) {
    console.error(
      `packages/wire/gen is out of step with packages/wire/proto/: ${stale.join(", ")}. Run: npm run generate`,
    );
    process.exitCode = 1;
  } else {
    console.log(`packages/wire/gen is in step with packages/wire/proto/ (${names.length} files)`);
  }
} finally {
  rmSync(fresh, { recursive: true, force: true });
}

function filesOf(folder) {
  return new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}
