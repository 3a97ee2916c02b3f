import { colorsFor } from "../../terminal/print.js";
import { findCommand } from "../../terminal/programs.js";
import { type Choice, choose, PromptCanceled } from "../../terminal/prompts.js";
import { foreignNames, formerCredential, type SignInWay, signIn } from "../login/sign-in.js";
import { describeFormer, describeStored } from "../login/stored-credential.js";
import type { Decisions, Desk, Outcome } from "./desk.js";
import { say, sayFailure } from "./say.js";

export type SignInChoice = "keep" | SignInWay["by"] | "simulate" | "skip";

/** An import is offered only where one of Cursor's programs has left a login. */
export function signInChoices(found: readonly string[], isSignedIn: boolean): Choice<SignInChoice>[] {
  return [
    ...(isSignedIn ? [{ value: "keep" as const, label: "Stay signed in" }] : []),
    { value: "browser", label: "In the browser", hint: "makes an API key that lasts 90 days" },
    ...(found.length === 0
      ? []
      : [
          { value: "import" as const, label: `Copy the login of ${found.join(" or ")}`, hint: "found on this machine" },
        ]),
    { value: "api-key", label: "Paste an API key", hint: "from Cursor's dashboard" },
    { value: "simulate", label: "Try it without an account", hint: "simulated answers, not from a model" },
    { value: "skip", label: "Skip" },
  ];
}

export async function signInStep(decisions: Decisions, { settings, machine }: Desk): Promise<Outcome> {
  // Nothing is written for a try: the clients would talk to a simulator, and then to nobody.
  const decide = (account: Decisions["account"]): Outcome => ({
    decisions: { ...decisions, account },
    next: account === "simulated" ? "start" : "clients",
  });
  const found = foreignNames(machine, findCommand("cursor-agent", machine) !== undefined);
  const isSignedIn = decisions.account === "signed in";
  const former = isSignedIn ? await formerCredential(settings) : undefined;
  if (former !== undefined) say.warn(describeFormer(former, settings));
  let tried: SignInChoice | undefined;
  for (;;) {
    tried = await choose("Sign in to Cursor", signInChoices(found, isSignedIn), tried);
    switch (tried) {
      case "keep":
        return decide("signed in");
      case "simulate":
        return decide("simulated");
      case "skip":
        return decide("none");
      default:
        try {
          // Choosing it is consent.
          const ways = {
            browser: { by: "browser", opensBrowser: !machine.env.NO_OPEN_BROWSER },
            "api-key": { by: "api-key" },
            import: { by: "import", hasConsent: true },
          } as const;
          const stored = await signIn(settings, ways[tried]);
          say.done(describeStored(stored, settings, colorsFor({})));
          return decide("signed in");
        } catch (thrown) {
          if (thrown instanceof PromptCanceled) throw thrown;
          sayFailure(thrown);
        }
    }
  }
}
