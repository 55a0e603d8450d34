import type { AskAnswer, AskRequest } from '../agent/gate.ts';
import { tryParseJson } from '../util/json.ts';
import { messageOf } from '../util/message-of.ts';
import type { ContentBlock } from '../wire/content.ts';
import { readAnswer } from './ask.ts';
import type { Parts } from './parts.ts';

/**
 * Asks a tool of an MCP server, which `--permission-prompt-tool` names, in the place of a host (wire.md 11.3). Anything but
 * one text with a well-formed allow is a denial.
 */
export async function askTool(
  { mcp, toolContext }: Parts,
  name: string,
  { toolName, input, toolUseId }: AskRequest,
  signal: AbortSignal,
): Promise<AskAnswer> {
  const tool = mcp?.tools().find((each) => each.name === name);
  if (!tool) return failed(`there is no tool ${name} of an MCP server that is connected`);
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
