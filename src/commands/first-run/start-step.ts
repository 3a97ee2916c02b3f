import { outro } from "@clack/prompts";
import { type Choice, choose, PromptCanceled, promptStyle } from "../terminal/prompts.js";
import type { Decisions, Desk, Outcome } from "./desk.js";
import { goBackFrom } from "./go-back.js";
import { sayFailure } from "./say.js";
import { answerFromService, serveHere } from "./start-gateway.js";

export type StartChoice = "here" | "service" | "sign-in" | "simulate" | "later" | "back";

/** What can be done now depends on who answers: a service would not start without a credential. */
export function startChoices(account: Decisions["account"]): Choice<StartChoice>[] {
  const here: Choice<StartChoice> = {
    value: "here",
    label: "Start it here",
    hint: "runs in this terminal until Ctrl-C",
  };
  const last: Choice<StartChoice>[] = [
    { value: "later", label: "Not now" },
    { value: "back", label: "Go back" },
  ];
  switch (account) {
    case "signed in":
      return [
        here,
        { value: "service", label: "Install it as a service", hint: "runs by itself, also after a restart" },
        ...last,
      ];
    case "simulated":
      return [here, ...last];
    case "none":
      return [
        { value: "sign-in", label: "Sign in first", hint: "without it, Cursor answers nothing" },
        { value: "simulate", label: "Start it with simulated answers", hint: "not from a model" },
        ...last,
      ];
  }
}

/** Starts the gateway and asks it a first question. A failure is shown, and the choice comes again. */
export async function startStep(decisions: Decisions, desk: Desk): Promise<Outcome> {
  const done: Outcome = { decisions, next: "done" };
  for (;;) {
    const choice = await choose("Start the gateway, and ask a first question?", startChoices(decisions.account));
    try {
      switch (choice) {
        case "sign-in":
          return { decisions, next: "sign-in" };
        case "back":
          return { decisions, next: await goBackFrom("start") };
        case "later":
          outro("To start the gateway: curlew", promptStyle());
          return done;
        case "simulate":
          await serveHere({ ...decisions, account: "simulated" }, desk);
          return done;
        case "here":
          await serveHere(decisions, desk);
          return done;
        case "service":
          if ((await desk.run("service", ["install"])) !== 0) continue;
          await answerFromService(decisions, desk);
          return done;
      }
    } catch (thrown) {
      if (thrown instanceof PromptCanceled) throw thrown;
      sayFailure(thrown);
    }
  }
}
