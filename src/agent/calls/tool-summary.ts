import type { Message } from '../../wire/messages/index.ts';
import type { Turn } from '../turn.ts';
import type { ToolCall } from './tool-call.ts';

/** One line for people about a round of tool calls, e.g. "Read a.ts and b.ts, Bash npm test". No model is asked for it. */
export function toolSummaryLine(turn: Turn, calls: readonly ToolCall[]): Message {
  return {
    type: 'tool_use_summary',
    summary: [...byTool(calls)].map(([name, subjects]) => [name, enumerate(subjects)].join(' ').trim()).join(', '),
    preceding_tool_use_ids: calls.map(({ block }) => block.id),
    session_id: turn.sessionId,
    uuid: turn.runtime.ids.uuid(),
  };
}

function byTool(calls: readonly ToolCall[]): Map<string, string[]> {
  const tools = new Map<string, string[]>();
  for (const { block } of calls) {
    const subject = subjectOf(block.input);
    tools.set(block.name, [...(tools.get(block.name) ?? []), ...(subject === '' ? [] : [subject])]);
  }
  return tools;
}

const MAX_SUBJECT = 60;

/** The subject of a call: its first short text. */
function subjectOf(input: Record<string, unknown>): string {
  const text = Object.values(input).find((value) => typeof value === 'string') as string | undefined;
  const line = text?.split('\n', 1)[0] ?? '';
  return line.length <= MAX_SUBJECT ? line : `${line.slice(0, MAX_SUBJECT)}…`;
}

function enumerate(subjects: readonly string[]): string {
  const shown = subjects.length <= 3 ? subjects : [...subjects.slice(0, 2), `${subjects.length - 2} more`];
  return [shown.slice(0, -1).join(', '), ...shown.slice(-1)].filter((part) => part !== '').join(' and ');
}
