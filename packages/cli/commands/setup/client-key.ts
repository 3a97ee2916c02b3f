import { setTimeout as sleep } from "node:timers/promises";
import { isLoopback } from "@curlew/gateway/network/loopback.js";
import { whileLocked } from "@curlew/gateway/system/file-lock.js";
import type { Machine } from "@curlew/gateway/system/machine.js";
import { isKeyOf, MAX_KEYS, makeKey, readKeys, type StoredKey, writeKeys } from "@curlew/meter/keys/index.js";
import { keysFile } from "../../app/prepare/own-files.js";
import { runningGateway } from "../../app/running-gateway.js";
import { localUrl } from "../../app/start/listen.js";
import { hasNamedKeys } from "../../app/start/start-server.js";
import { placesOf, statePath } from "../../config/places.js";
import type { Settings } from "../../config/settings.js";
import type { Client, GatewayAddress } from "../../setup/client.js";
import { recordsIn, type SetupRecords } from "../../setup/client-file.js";
import type { CommandMachine } from "../../terminal/command-machine.js";
import { CommandFailure, notWritten } from "../../terminal/print.js";
import { askSecret } from "../../terminal/prompts.js";
import { askJson } from "./account-models.js";
import { fileOf } from "./client-location.js";

/** A running gateway rereads its keys at most once a second. */
const NOTICED_MS = 1_200;

/** The key for a client: the given one, that of an earlier setup, or a new one; none if the gateway requires none. */
export async function findClientKey(
  machine: CommandMachine,
  client: Client,
  { url, key }: GatewayAddress,
  settings: Settings,
  givenFile?: string,
): Promise<GatewayAddress> {
  const earlier = setupRecords(machine).read(fileOf(client, machine, givenFile) ?? "")?.key;
  const isUp = (await runningGateway(url)) !== undefined;
  const isHere = isLoopback(new URL(url).hostname) || url === localUrl(settings.host, settings.port);
  const canMake = key === undefined && isHere && hasNamedKeys(settings);
  if (key === undefined && (isUp ? await isTaken({ url, key }) : isHere && !canMake)) return { url, key };
  const known = key ?? (isHere ? earlier : undefined);
  if (known !== undefined) {
    const isStored = () => editKeys(settings, (keys) => keys.some((each) => isKeyOf(each, known)));
    if (isUp ? await isTaken({ url, key: known }) : known === key || (await isStored())) return { url, key: known };
  }
  if (canMake) {
    const { secret, stored } = makeKey(client.name, {}, Date.now());
    return { url, key: secret, newKey: { ...stored, bySetup: true } };
  }
  if (!isUp) {
    const how = "Start it, or pass its key with --key-file FILE or in CURLEW_KEY.";
    throw new CommandFailure(1, `No gateway answers at ${url}. ${how}`);
  }
  const asked = machine.stdin.isTTY ? await askSecret(machine, `The key of the gateway at ${url}`) : "";
  if (asked === "" || !(await isTaken({ url, key: asked }))) throw notTaken(url);
  return { url, key: asked };
}

/** Stores a new key under the client's name, numbered if taken, and waits until the gateway accepts it. */
export async function storeClientKey({ url, key = "", newKey }: GatewayAddress, settings: Settings): Promise<void> {
  if (newKey === undefined) return;
  await editKeys(settings, (keys, write) => {
    if (keys.length >= MAX_KEYS) throw new CommandFailure(1, `There are ${MAX_KEYS} keys already. Revoke some first.`);
    let { name } = newKey;
    for (let number = 2; keys.some((each) => each.name === name); number++) name = `${newKey.name}-${number}`;
    write([...keys, { ...newKey, name }]);
  });
  if ((await runningGateway(url)) === undefined || (await isTaken({ url, key }))) return;
  await sleep(NOTICED_MS);
  if (await isTaken({ url, key })) return;
  await dropClientKey(key, settings);
  throw notTaken(url);
}

export async function dropClientKey(key: string, settings: Settings): Promise<void> {
  await editKeys(settings, (keys, write) => {
    const left = keys.filter((each) => each.bySetup !== true || !isKeyOf(each, key));
    if (left.length < keys.length) write(left);
  });
}

type EditKeys<Result> = (keys: readonly StoredKey[], write: (keys: readonly StoredKey[] | "off") => void) => Result;

export function editKeys<Result>(settings: Settings, edit: EditKeys<Result>): Promise<Result> {
  const path = keysFile(settings);
  const work = () => edit(readKeys(path) ?? [], (keys) => writeKeys(path, keys));
  return whileLocked(path, work).catch((thrown: unknown) => {
    throw notWritten(path, thrown);
  });
}

export function setupRecords(machine: Machine): SetupRecords {
  return recordsIn(statePath(placesOf(machine), "setup"));
}

async function isTaken(address: GatewayAddress): Promise<boolean> {
  const { status } = await askJson(address, "/openapi.json");
  return status !== 401 && status !== 429;
}

function notTaken(url: string): CommandFailure {
  const how = "Pass it with --key-file FILE or in CURLEW_KEY.";
  return new CommandFailure(1, `The gateway at ${url} requires a key. ${how}`);
}
