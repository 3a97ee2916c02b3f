import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Entry } from "../model/transcript.js";
import { dataFolder } from "./workspace.js";
import type { World } from "./world.js";

/** Conversations on disk, so that a later process can continue them. */
export interface Chats {
  read(id: string): readonly Entry[] | undefined;
  write(id: string, entries: readonly Entry[]): void;
  ids(): string[];
}

export function openChats(env: World["env"]): Chats {
  const folder = join(dataFolder(env), "fake-chats");
  const fileOf = (id: string) => join(folder, `${id.replace(/[^\w-]/g, "_")}.json`);
  return {
    read(id) {
      try {
        return JSON.parse(readFileSync(fileOf(id), "utf8")) as Entry[];
      } catch {
        return undefined;
      }
    },
    write(id, entries) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(fileOf(id), JSON.stringify(entries));
    },
    /** Newest first. */
    ids() {
      try {
        const files = readdirSync(folder).map((file) => ({ file, at: statSync(join(folder, file)).mtimeMs }));
        return files.sort((a, b) => b.at - a.at).map(({ file }) => file.replace(/\.json$/, ""));
      } catch {
        return [];
      }
    },
  };
}
