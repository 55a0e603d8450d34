import type { AskAnswer, AskRequest } from '../agent/gate.ts';
import { tryParseJson } from '../util/json.ts';
import { messageOf } from '../util/message-of.ts';
import type { ContentBlock } from '../wire/content.ts';
import { HeddleError } from '../wire/errors.ts';
import type { RunConfig } from '../wire/run-config.ts';
import { readAnswer } from './ask.ts';
import type { Parts } from './parts.ts';

/** Throws `invalid_option` for what can be no tool of a server, and where no server is there that could have it. */
export function checkPromptTool(name: string, { mcp }: Parts, { inputFormat }: RunConfig): void {
  const option = '--permission-prompt-tool';
  if (!name.startsWith('mcp__')) {
    throw new HeddleError('invalid_option', `${option} takes stdio or mcp__SERVER__TOOL, not '${name}'`);
  }
  // A host may still name its servers.
  if (mcp || inputFormat !== 'text') return;
  throw new HeddleError('invalid_option', `${option}: there is no MCP server that could have ${name}`);
}

/**
 * Asks a tool of an MCP server, which `--permission-prompt-tool` names, in the place of a host (wire.md 11.3). Anything but
 * one text with a well-formed allow is a denial.
 */
export async function askTool(
  { mcp, toolContext, warnOnce }: Parts,
  name: string,
  { toolName, input, toolUseId }: AskRequest,
  signal: AbortSignal,
): Promise<AskAnswer> {
  const tool = mcp?.tools().find((each) => each.name === name);
  if (!tool) {
    warnOnce(`--permission-prompt-tool: no MCP server that is connected has ${name}: what it is asked is denied`);
    return failed(`there is no tool ${name} of an MCP server that is connected`);
  }
  try {
    const question = { tool_name: toolName, input, tool_use_id: toolUseId };
    const { content } = await tool.run(question, toolContext(toolUseId, signal));
    const text = typeof content === 'string' ? content : onlyText(content);
    return text === null
      ? failed(`${name} answered with something else than one text`)
      : readAnswer(tryParseJson(text));
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
