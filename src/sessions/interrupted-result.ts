import type { ToolResultBlock } from '../wire/api/content.ts';

/** The result that the model gets for a call whose outcome is unknown. */
export function interruptedResult(toolUseId: string): ToolResultBlock {
  return { type: 'tool_result', tool_use_id: toolUseId, content: INTERRUPTED, is_error: true };
}

/** The result that the model gets for a call that did not begin. */
export function notBegunResult(toolUseId: string): ToolResultBlock {
  return { type: 'tool_result', tool_use_id: toolUseId, content: NOT_BEGUN, is_error: true };
}

const NOT_BEGUN =
  'The session ended before this tool call began: it did not run, and had no effect. Call the tool again if it is still wanted.';

const INTERRUPTED =
  'The session ended before this tool call had reported back. It may have run in part or not at all: ' +
  'look at its effects before you repeat it.';
