import { useEffect, useState } from "preact/hooks";
import { Live } from "../api/live.js";
import { Problem, UNREACHABLE } from "../api/problem.js";
import { openSession, proof, takeLink } from "../api/session.js";
import { ModelsView } from "../models/models-view.js";
import { NowView } from "../now/now-view.js";
import { type Route, useRoute } from "../parts/route.js";
import { LiveContext } from "../parts/use-live.js";
import { PlaygroundView } from "../playground/playground-view.js";
import { RequestsView } from "../requests/requests-view.js";
import { UsageView } from "../usage/usage-view.js";
import { Door } from "./door.js";
import { Frame } from "./frame.js";

type Entry = { readonly at: "opening" | "inside" } | { readonly at: "door"; readonly problem: string | undefined };

/** The page: its door, or behind it the view that the address names. */
export function App() {
  const [entry, setEntry] = useState<Entry>(() => ({ at: proof() === "" ? "door" : "inside", problem: undefined }));
  const [live] = useState(() => new Live());
  const route = useRoute();
  const enter = () => {
    setEntry({ at: "inside" });
    live.start();
  };
  // Once, when the page is opened.
  useEffect(() => {
    const lockOut = live.subscribe(() => {
      const { connection, problem } = live.view;
      if (connection === "locked-out") setEntry({ at: "door", problem });
    });
    const link = takeLink();
    if (link !== undefined) {
      setEntry({ at: "opening" });
      openSession({ link }).then(enter, (thrown: unknown) =>
        setEntry({ at: "door", problem: thrown instanceof Problem ? thrown.message : UNREACHABLE }),
      );
    } else if (proof() !== "") live.start();
    return lockOut;
  }, []);
  if (entry.at === "opening") return null;
  if (entry.at === "door") return <Door problem={entry.problem} onOpen={enter} />;
  return (
    <LiveContext.Provider value={live}>
      <Frame view={route.view}>
        <View {...route} />
      </Frame>
    </LiveContext.Provider>
  );
}

function View({ view, item }: Route) {
  switch (view) {
    case "now":
      return <NowView />;
    case "requests":
      return <RequestsView id={item} />;
    case "usage":
      return <UsageView />;
    case "models":
      return <ModelsView item={item} />;
    case "playground":
      return <PlaygroundView />;
  }
}
