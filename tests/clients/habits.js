// What a person does in each client's terminal, by the client's name for `curlew setup`, and what its screen then shows.
// A missing act is one that the client does not have here; `lacks` has the reason.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const keys = { enter: "\r", escape: "\x1b", up: "\x1b[A", down: "\x1b[B", clear: "\x15", quit: "\x03\x03" };

const mcpServer = fileURLToPath(new URL("../../testing/programs/mcp-server.js", import.meta.url));

/** Types a command, and waits until the client has done it. */
const command = (words, shows) => async (terminal) => {
  await terminal.say(words);
  await terminal.until(shows);
};

/** Types a command that opens a list, then what narrows the list to one entry. */
const chooseModel = (words, list, name, entry, chosen) => async (terminal) => {
  await command(words, list)(terminal);
  terminal.press(name);
  await terminal.until(entry);
  await terminal.pressUntil(keys.enter, chosen);
};

export const habits = {
  claude: {
    // Its auto mode has a server of Anthropic's judge commands, and without it asks the person for most of them.
    args: ({ home }) => [
      "--permission-mode=default",
      `--mcp-config=${birdsIn(home)}`,
      "--allowedTools=Bash,ToolSearch,mcp__birds",
    ],
    ready: /manual mode/,
    queued: /edit queued messages/,
    interrupted: /Interrupted/,
    async undo(terminal) {
      await command("/rewind", /❯ \(current\)/)(terminal);
      await terminal.pressUntil(keys.up, /Rewind[\s\S]*❯ \[\[say/);
      await terminal.pressUntil(keys.enter, /❯ 1\. Restore conversation/);
      await terminal.pressUntil(keys.enter, /─\n❯\s\[\[say.*\n─/);
    },
    // It asks again for a summary without these tags.
    compact: command("/compact [[say <summary>Birds.</summary>]]", /Compacted/),
    async changeModel(terminal) {
      await command("/model", /Select model/)(terminal);
      terminal.press("3");
      await terminal.until(/❯ 3\.|Yes, switch|Set model to Fable/);
      await terminal.pressUntil(keys.enter, /Set model to Fable/);
    },
  },
  codex: {
    // Its daemon would go on running after the test.
    args: () => ["--dangerously-bypass-approvals-and-sandbox", "--disable=daemon_auto_start"],
    ready: /Ask Codex/,
    queued: /Messages to be submitted/,
    interrupted: /Conversation interrupted/,
    async undo(terminal) {
      await terminal.pressUntil(keys.escape, /esc again/i);
      await terminal.pressUntil(keys.escape, /rewind/);
      await terminal.pressUntil(keys.enter, /Conversation reverted/);
    },
    compact: command("/compact", /Context compacted/),
    async changeModel(terminal) {
      await command("/model", /Select Model/)(terminal);
      terminal.press("2");
      await terminal.until(/Select Reasoning|Model changed/);
      await terminal.pressUntil(keys.enter, /Model changed/);
    },
  },
  opencode: {
    args: () => [],
    ready: /Ask anything/,
    queued: /QUEUED/,
    asksAgain: /again to interrupt/,
    interrupted: /· interrupted/,
    undo: command("/undo", /message reverted/),
    compact: command("/compact", /Compaction · .*\d+m?s/),
    changeModel: chooseModel(
      "/models",
      /Select model/,
      "Composer 2.5 Fast",
      /Composer 2.5 Fast[\s\S]*Composer 2.5 Fast/,
      /Build · Composer 2.5 Fast/,
    ),
  },
  qwen: {
    args: () => ["--yolo"],
    ready: /Type your message/,
    queued: /1 queued/,
    interrupted: /Request cancelled/,
    async undo(terminal) {
      await terminal.pressUntil(keys.escape, /Esc again to rewind/);
      await terminal.pressUntil(keys.escape, /Rewind Conversation \(/);
      await terminal.pressUntil(keys.enter, /› Restore conversation only/);
      await terminal.pressUntil(keys.enter, /Conversation rewound/);
    },
    // It asks again for a summary without these tags.
    compact: command("/compress [[say <state_snapshot>Birds.</state_snapshot>]]", /compressed from/),
    leave: (terminal) => terminal.say("/quit"),
    lacks: { "model change": "its settings name one model" },
  },
  pi: {
    args: () => ["--provider", "curlew", "--model", "auto"],
    ready: /interrupt/,
    queued: /Steering/,
    interrupted: /aborted/,
    async undo(terminal) {
      await command("/tree", /› .*assistant/)(terminal);
      await terminal.pressUntil(keys.up, /› .*user/);
      await terminal.pressUntil(keys.enter, /Summarize branch/);
      await terminal.pressUntil(keys.enter, /Navigated to/);
    },
    compact: command("/compact", /Compacted from/),
    // Also summarizes the beginning of a message's work when it keeps the end.
    compactionRuns: 2,
    changeModel: chooseModel(
      "/model",
      /Model Name/,
      "composer-2.5-fast",
      /→ .*composer-2.5-fast/,
      /Model: composer-2.5-fast/,
    ),
  },
  cline: {
    args: () => [],
    // An advertisement covers the prompt at the first start.
    ready: /Press Enter to open, any other key to close/,
    begin: (terminal) => terminal.pressUntil(keys.escape, /What can I do for you/),
    queued: /Queued messages/,
    isQueueSentAfterwards: true,
    interrupted: /run_commands\(sh slow.sh esc\)\n +⎿/,
    changeModel: chooseModel(
      "/model",
      /auto \(current\)/,
      "composer-2.5-fast",
      /❯ .*composer-2.5-fast/,
      /^ composer-2.5-fast \(/m,
    ),
    // Only a Git repository has checkpoints.
    isInRepository: true,
    async undo(terminal) {
      await command("/undo", /Restore to Checkpoint/)(terminal);
      await terminal.pressUntil(keys.enter, /Restore chat only/);
      await terminal.pressUntil(keys.enter, /─\n ?❯ \[\[say.*\n *─/);
    },
    compact: command("/compact", /Context compacted/),
  },
  continue: {
    args: () => ["--auto"],
    ready: /Ask anything/,
    queued: /say bird\]\][\s\S]*esc to interrupt[\s\S]*Ask anything/,
    isQueueSentAfterwards: true,
    interrupted: /Interrupted by user/,
    compact: command("/compact", /compacted successfully/),
    leave: (terminal) => terminal.say("/exit"),
    changeModel: async (terminal) => {
      await command("/model", /➤/)(terminal);
      await terminal.pressUntil(keys.down, /➤ (?!.*✔)/);
      await terminal.pressUntil(keys.enter, /Switched to model/);
    },
    lacks: { undo: "it has none" },
  },
};

function birdsIn(home) {
  const file = join(home, "servers.json");
  writeFileSync(file, JSON.stringify({ mcpServers: { birds: { command: "node", args: [mcpServer] } } }));
  return file;
}
