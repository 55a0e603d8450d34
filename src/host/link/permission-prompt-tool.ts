import type { AskAnswer, AskRequest } from '../../agent/calls/gate.ts';
import type { Tool, ToolContext } from '../../tools/tool.ts';
import { tryParseJson } from '../../util/json.ts';
import { messageOf } from '../../util/message-of.ts';
import type { ContentBlock } from '../../wire/api/content.ts';
import { HeddleError } from '../../wire/errors.ts';
import type { RunConfig } from '../../wire/run-config.ts';

/** Throws `invalid_option` for a name that no tool of a server can have, and when there is no server at all. */
export function checkPromptTool(name: string, hasServers: boolean, { inputFormat }: RunConfig): void {
  const option = '--permission-prompt-tool';
  if (!name.startsWith('mcp__')) {
    throw new HeddleError('invalid_option', `${option} takes stdio or mcp__SERVER__TOOL, not '${name}'`);
  }
  // A host may still add servers.
  if (hasServers || inputFormat !== 'text') return;
  throw new HeddleError('invalid_option', `${option}: there is no MCP server that could have ${name}`);
}

export interface PromptTool {
  name: string;
  /** Undefined when no connected server has the tool. */
  tool: Tool | undefined;
  context: ToolContext;
  warnOnce(text: string): void;
}

/**
 * Asks the tool of an MCP server that `--permission-prompt-tool` names, instead of the host. Anything but one text with a
 * well-formed allow is a denial.
 */
export async function askTool(
  { name, tool, context, warnOnce }: PromptTool,
  { toolName, input, toolUseId }: AskRequest,
  signal: AbortSignal,
): Promise<AskAnswer> {
  if (!tool) {
    warnOnce(`--permission-prompt-tool: no MCP server that is connected has ${name}: what it is asked is denied`);
    return failed(`there is no tool ${name} of an MCP server that is connected`);
  }
  try {
    const question = { tool_name: toolName, input, tool_use_id: toolUseId };
    const { content } = await tool.run(question, context);
    const text = typeof content === 'string' ? content : onlyText(content);
    if (text === null) return failed(`${name} answered with something else than one text`);
    const { readPermissionAnswer } = await import('./read-permission-answer.ts');
    return readPermissionAnswer(tryParseJson(text));
  } catch (error) {
    if (signal.aborted) return { behavior: 'deny', message: 'The question was withdrawn: the turn was interrupted' };
    return failed(messageOf(error));
  }
}

function onlyText([first, ...more]: readonly ContentBlock[]): string | null {
  return first?.type === 'text' && more.length === 0 ? first.text : null;
}

function failed(why: string): AskAnswer {
  return { behavior: 'deny', message: `Tool permission request failed: ${why}` };
}
