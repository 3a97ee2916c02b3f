import type { Clock } from "../clock.js";
import { PageLinks } from "./links.js";
import { PageSecret } from "./page-secret.js";
import { PageSessions } from "./sessions.js";

export interface PageDoor {
  readonly links: PageLinks;
  readonly sessions: PageSessions;
}

interface DoorDeps {
  readonly path: string;
  /** The gateway's own key, if it has one. */
  readonly key: string | undefined;
  readonly clock: Pick<Clock, "now" | "elapsed">;
  /** Called when the file cannot be used. */
  readonly onProblem: (problem: unknown) => void;
}

/** Nothing is read or written before somebody wants to get in. */
export function openPageDoor({ path, key, clock, onProblem }: DoorDeps): PageDoor {
  const secret = new PageSecret({ path, clock, onProblem });
  return {
    links: new PageLinks({ clock, generation: () => secret.made }),
    sessions: new PageSessions({ clock, secret, key }),
  };
}
