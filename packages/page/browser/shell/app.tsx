import { useEffect, useState } from "preact/hooks";
import { messageOf, openSession, proof, takeLink } from "../api/call.js";
import { Live } from "../api/live.js";
import { ModelsView } from "../models/models-view.js";
import { NowView } from "../now/now-view.js";
import { type Route, useRoute } from "../parts/route.js";
import { LiveContext } from "../parts/use-live.js";
import { Chat } from "../playground/chat/chat.js";
import { PlaygroundView } from "../playground/playground-view.js";
import { RequestsView } from "../requests/requests-view.js";
import { UsageView } from "../usage/usage-view.js";
import { Door } from "./door.js";
import { Frame } from "./frame.js";

type Entry = { readonly at: "opening" | "inside" } | { readonly at: "door"; readonly problem: string | undefined };

export function App() {
  const [entry, setEntry] = useState<Entry>(() => ({ at: proof() === "" ? "door" : "inside", problem: undefined }));
  const [live] = useState(() => new Live());
  const [chat] = useState(() => new Chat());
  const route = useRoute();
  const enter = () => {
    setEntry({ at: "inside" });
    live.start();
  };
  // Once, when the page is opened.
  useEffect(() => {
    let refusal: string | undefined;
    const lockOut = live.subscribe(() => {
      const { connection, problem } = live.view;
      if (connection === "live") refusal = undefined;
      if (connection === "locked-out") setEntry({ at: "door", problem: refusal ?? problem });
    });
    const followLink = () => {
      const link = takeLink();
      if (link === undefined) return false;
      setEntry({ at: "opening" });
      openSession({ link }).then(enter, (thrown: unknown) => {
        refusal = messageOf(thrown);
        // A used link must not close a page with an open session.
        if (proof() === "") setEntry({ at: "door", problem: refusal });
        else enter();
      });
      return true;
    };
    if (!followLink() && proof() !== "") live.start();
    // Pasting a link into the address bar of this page does not reload it.
    addEventListener("hashchange", followLink);
    return () => {
      removeEventListener("hashchange", followLink);
      lockOut();
    };
  }, []);
  if (entry.at === "opening") {
    return (
      <p class="door faint" role="status">
        Opening the page
      </p>
    );
  }
  if (entry.at === "door") return <Door problem={entry.problem} onOpen={enter} />;
  return (
    <LiveContext.Provider value={live}>
      <Frame view={route.view}>
        <View {...route} chat={chat} />
      </Frame>
    </LiveContext.Provider>
  );
}

function View({ view, item, chat }: Route & { readonly chat: Chat }) {
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
      return <PlaygroundView chat={chat} model={item} />;
  }
}
