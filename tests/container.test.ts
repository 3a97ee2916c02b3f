import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { version } from "../packages/cli/app/version.js";
import { settingNames, settingsTable, variablesOf } from "../packages/cli/config/table.js";
import { mainFile, serveCurlew } from "../testing/programs/curlew-process.js";

// These tests check what can be checked without a container engine; they build no image.
const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");
const dockerfile = read("Dockerfile");
const compose = parse(read("deploy/compose.yaml")).services.curlew;
const [deployment, claim, service] = parseAllDocuments(read("deploy/kubernetes.yaml")).map((each) => each.toJS());
const pod = deployment.spec.template.spec;
const [container] = pod.containers;
const imageEnvironment = Object.fromEntries(
  (/^ENV (.+)$/m.exec(dockerfile)?.[1] ?? "").split(" ").map((pair) => pair.split("=", 2)),
);

describe("the image's health check", () => {
  const [node, ...args]: string[] = JSON.parse(/^HEALTHCHECK[\s\S]*?CMD (\[.*\])$/m.exec(dockerfile)?.[1] ?? "[]");
  const check = async (url: string) => {
    const child = spawn(process.execPath, args, { env: { PORT: new URL(url).port }, stdio: "ignore" });
    const [exitCode] = await once(child, "close");
    return exitCode;
  };

  it("passes without a key while a gateway runs, and fails when none does", async () => {
    const gateway = await serveCurlew([], { env: { CURLEW_KEY: "a-key-of-16-characters" } });
    expect(node).toBe("/nodejs/bin/node");
    expect(await check(gateway.url)).toBe(0);
    gateway.signal("SIGTERM");
    await gateway.finished;
    expect(await check(gateway.url)).toBe(1);
  });
});

describe("a user without an entry in the system", () => {
  const uid = 65_532;
  // A Node installed by npm for these tests may be readable by root only.
  const mayRead = (file: string) => spawnSync("test", ["-r", file], { uid, gid: uid }).status === 0;
  const canBe = process.getuid?.() === 0 && mayRead(mainFile) && mayRead(process.execPath);
  const run = async (env: Record<string, string>, ...args: string[]) => {
    const child = spawn(process.execPath, [mainFile, ...args], { env, uid, gid: uid });
    const [stdout, stderr, [status]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, "close"),
    ]);
    return { status, stdout, stderr };
  };
  const status = (env: Record<string, string>) => run(env, "status", "--port", "1");

  it.skipIf(!canBe)("needs no home folder if CURLEW_HOME is set", async () => {
    const { stdout, stderr } = await status({ CURLEW_HOME: "/data" });
    expect([stdout, stderr]).toEqual([expect.stringMatching(/^settings +\/data\/curlew.json/m), ""]);
  });

  it.skipIf(!canBe)("gets one sentence about what is missing otherwise", async () => {
    const { status: code, stderr } = await status({});
    expect([code, stderr.replaceAll(/\s+/g, " ")]).toEqual([
      2,
      "curlew: This user has no home folder. Set CURLEW_HOME to a folder for Curlew's files. ",
    ]);
  });

  it.skipIf(!canBe)("gets one sentence about what needs a home folder", async () => {
    const env = { CURLEW_HOME: "/data", CURLEW_BACKEND: "simulator" };
    const supervised = "Have your system's own supervisor run: curlew serve";
    for (const [args, hint] of [
      [["service", "status"], supervised],
      [["service", "install"], supervised],
      [["setup", "claude", "--yes", "--url", "http://127.0.0.1:1"], "Set HOME, or pass --file FILE"],
    ] as const) {
      const { status: code, stderr } = await run(env, ...args);
      const said = stderr.slice(stderr.indexOf("curlew:")).replaceAll(/\s+/g, " ");
      expect([code, said]).toEqual([
        1,
        expect.stringMatching(/^curlew: This user has no home folder[^:]+(?:: [^:]+)?$/),
      ]);
      expect(said).toContain(hint);
    }
  });
});

it("pins its base images by digest", () => {
  const bases = dockerfile.match(/^FROM .+$/gm);
  expect(bases).toHaveLength(2);
  for (const base of bases ?? []) expect(base).toMatch(/^FROM [\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}( AS \w+)?$/);
});

describe("the container's examples", () => {
  it("name settings that exist", () => {
    const known = new Set([
      ...settingNames.flatMap((name) => variablesOf(name, settingsTable[name])),
      "CURLEW_HOME",
      "NODE_ENV",
    ]);
    const named = [
      ...Object.keys(imageEnvironment),
      ...Object.keys(compose.environment),
      ...container.env.map(({ name }: { name: string }) => name),
    ];
    expect(named).toContain("CURLEW_KEY");
    expect(named.filter((name) => !known.has(name))).toEqual([]);
  });

  it("agree on the port and on the persistent folder", () => {
    const { HOST, PORT, CURLEW_HOME } = imageEnvironment;
    expect({ HOST, PORT }).toEqual({ HOST: "0.0.0.0", PORT: String(settingsTable.port.default) });
    expect(dockerfile).toContain(`\nEXPOSE ${PORT}\n`);
    expect(compose.ports).toEqual([`127.0.0.1:${PORT}:${PORT}`]);
    expect(container.ports).toEqual([{ name: "http", containerPort: Number(PORT) }]);
    expect(service.spec.ports).toEqual([{ name: "http", port: Number(PORT), targetPort: "http" }]);
    expect(dockerfile).toContain(`\nVOLUME ${CURLEW_HOME}\n`);
    expect(compose.volumes).toEqual([`state:${CURLEW_HOME}`]);
    expect(container.volumeMounts).toContainEqual({ name: "state", mountPath: CURLEW_HOME });
    expect(pod.volumes).toContainEqual({ name: "state", persistentVolumeClaim: { claimName: claim.metadata.name } });
  });

  it("run unprivileged on a read-only file system", () => {
    const [, user] = /^USER (\d+):\1$/m.exec(dockerfile) ?? [];
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: Number(user), fsGroup: Number(user) });
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
    expect(compose).toMatchObject({ read_only: true, cap_drop: ["ALL"], security_opt: ["no-new-privileges:true"] });
  });

  it("run one replica of this version, with probes on /health", () => {
    expect(deployment.spec).toMatchObject({ replicas: 1, strategy: { type: "Recreate" } });
    expect(container.image).toBe(`registry.example/curlew:${version}`);
    expect(container.readinessProbe.httpGet).toEqual({ path: "/health", port: "http" });
    expect(container.livenessProbe.httpGet).toEqual({ path: "/health", port: "http" });
    expect(service.spec.selector).toEqual(deployment.spec.template.metadata.labels);
  });

  it("hold no secrets", () => {
    expect(Object.values(compose.environment)).toEqual([
      expect.stringMatching(/^\$\{CURLEW_KEY:\?/),
      expect.stringMatching(/^\$\{CURSOR_API_KEY:\?/),
    ]);
    const given = container.env.filter(({ value }: { value?: string }) => value !== undefined);
    expect(given.map(({ name }: { name: string }) => name)).toEqual(["CURLEW_ALLOWED_HOSTS"]);
  });
});
