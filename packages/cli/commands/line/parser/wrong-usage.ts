import { didYouMean } from "@curlew/gateway/system/closest.js";
import type { Command } from "commander";
import { CommandFailure } from "../../../terminal/print.js";

/** Prefixes of keys (Cursor's, ours and other vendors'), and the shape of a token. */
const SECRET = /^(?:crsr_|curlew_|key_|sk-|gh[pousr]_)|^eyJ[\w-]*\.|^[\w+/=-]{40,}$/;
const NO_SECRETS = "Keys are not taken from the command line, where others can read them.";

export function wrongUsage(command: Command, code: string, message: string): CommandFailure {
  switch (code) {
    case "commander.unknownOption":
      return unknownOption(command, between(message));
    case "commander.excessArguments":
      return stray(command, command.args[command.registeredArguments.length] ?? "");
    case "commander.unknownCommand":
      return unknownCommand(command, command.args[0] ?? "");
    case "commander.missingArgument": {
      const usage = ["curlew", ...pathOf(command), command.usage()].join(" ");
      return new CommandFailure(2, `Missing argument: ${between(message)}.\nUsage: ${usage}`);
    }
    default:
      return refusal(command, message.replace(/^error: /, ""));
  }
}

export function refusal(command: Command, reason: string): CommandFailure {
  return new CommandFailure(2, `${reason}\nSee: ${["curlew", ...pathOf(command), "--help"].join(" ")}`);
}

export function needsValue(command: Command, flag = ""): CommandFailure {
  return refusal(command, `The option ${flag} needs a value.`);
}

/** Commander quotes the word that it refuses. */
function between(message: string): string {
  return message.slice(message.indexOf("'") + 1, message.lastIndexOf("'"));
}

function unknownOption(command: Command, typed: string): CommandFailure {
  const [flag = ""] = typed.split("=");
  if (SECRET.test(typed) || SECRET.test(flag)) return secret(command);
  const known = command.options.find((option) => option.long === flag);
  if (known !== undefined) return refusal(command, `The option ${flag} takes no value.`);
  const offered = command
    .createHelp()
    .visibleOptions(command)
    .flatMap(({ long }) => long?.slice(2) ?? []);
  const hint = flag.startsWith("--") ? didYouMean(flag.slice(2), offered, "--") : "";
  return refusal(command, `Unknown option ${flag}.${hint}`);
}

function stray(command: Command, word: string): CommandFailure {
  if (SECRET.test(word)) return secret(command);
  if (command.commands.length > 0) return unknownCommand(command, word);
  const { parent } = command;
  if (parent?.args[0]?.startsWith("-") && parent.commands.some((each) => each.name() === word)) {
    const words = [...pathOf(parent), word].join(" ");
    return refusal(parent, `Options come after the command: curlew ${words} [options]`);
  }
  return refusal(command, `Unexpected argument ${JSON.stringify(word)}.`);
}

export function unknownCommand(group: Command, word: string): CommandFailure {
  if (SECRET.test(word)) return secret(group);
  const names = group.commands.map((each) => each.name());
  const words = [...pathOf(group), word].join(" ");
  const hint = didYouMean(word, [...names, "help", ...(group.parent === null ? ["--version"] : [])]);
  return refusal(group, `Unknown command ${words}.${hint}`);
}

function secret(command: Command): CommandFailure {
  const isLogin = pathOf(command)[0] === "login";
  const next = isLogin ? " Run curlew login --api-key and paste it at the prompt." : "";
  return new CommandFailure(2, `${NO_SECRETS}${next}`);
}

/** The names that lead to a command, without the program's own. */
export function pathOf(command: Command): string[] {
  return command.parent === null ? [] : [...pathOf(command.parent), command.name()];
}
