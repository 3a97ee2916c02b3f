import { create } from "@bufbuild/protobuf";
import {
  type CursorRule,
  CursorRuleSchema,
  type RequestContext,
  RequestContextSchema,
} from "../../../gen/agent_v1_pb.js";
import type { ToolDefinition } from "../../../turn/turn.js";
import { NEUTRAL_FOLDER } from "../native-tools/native-request.js";
import { encodeTools } from "../request/tool-definitions.js";

/** The value of `CursorRule.source` for a user's rule, which reaches the model (docs/protocol/wire.md, system prompt). */
const USER_RULE = 2;

const noBuiltInTools = (kinds: string) =>
  `The tools built into Cursor (${kinds}) are not available in this session: every ` +
  "call to one is refused. Answer in text, or use a tool that the user's application offers.";

const NO_BUILT_IN_TOOLS = noBuiltInTools("shell, file, search, web and editor tools");
const NONE_BUT_WEB_TOOLS = noBuiltInTools("shell, file, code search and editor tools, all but those for the web");

/** What the client says about its environment: the same bytes in every turn, so that Cursor's prompt cache stays valid. */
export function buildRequestContext(
  system: string,
  tools: readonly ToolDefinition[],
  allowsWeb: boolean,
): RequestContext {
  const rules = [rule("curlew", allowsWeb ? NONE_BUT_WEB_TOOLS : NO_BUILT_IN_TOOLS)];
  // A global rule is the only field in which models see a caller's system prompt (docs/protocol/wire.md, system prompt).
  if (system !== "") rules.push(rule("system", system));
  return create(RequestContextSchema, {
    rules,
    tools: encodeTools(tools),
    env: {
      osVersion: process.platform,
      workspacePaths: [NEUTRAL_FOLDER],
      shell: "sh",
      timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      projectFolder: NEUTRAL_FOLDER,
      sandboxSupported: false,
      computerUseSupported: false,
      isWorkingDirHomeDir: false,
      processWorkingDirectory: NEUTRAL_FOLDER,
    },
    ...(allowsWeb && { webSearchEnabled: true, webFetchEnabled: true }),
    gitRepoInfoComplete: true,
    mcpInfoComplete: true,
    rulesInfoComplete: true,
    envInfoComplete: true,
    repositoryInfoComplete: true,
    customSubagentsInfoComplete: true,
    agentSkillsInfoComplete: true,
    mcpFileSystemInfoComplete: true,
    gitStatusInfoComplete: true,
  });
}

function rule(name: string, content: string): CursorRule {
  return create(CursorRuleSchema, {
    fullPath: `${NEUTRAL_FOLDER}/.cursor/rules/${name}.mdc`,
    content,
    type: { type: { case: "global", value: {} } },
    source: USER_RULE,
  });
}
