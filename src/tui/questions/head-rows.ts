import type { Question } from '../../view/view.ts';
import { callName } from '../rows/blocks/call-text.ts';
import { EMPTY_ROW, type Row } from '../rows/row.ts';
import type { RowContext } from '../rows/row-context.ts';
import { safeLine } from '../rows/safe-text.ts';
import { span, spanRows } from './shown-text.ts';

/** Whose question it is, about what, and which one of how many. */
export function headRows(question: Question, position: string, context: RowContext): Row[] {
  const { call, agent, kind, request } = question;
  const server = typeof request.mcp_server_name === 'string' ? `${safeLine(request.mcp_server_name)}: ` : '';
  const what =
    kind === 'elicitation' ? `${server}a server asks` : kind === 'plan' ? 'Plan' : callName(call?.name ?? '');
  return ownHeadRows(`${agent ? `${safeLine(agent.name)} \u00b7 ` : ''}${what}`, position, context);
}

export function ownHeadRows(text: string, position: string, context: RowContext): Row[] {
  const of = position === '' ? [] : [span(`  ${position}`, 'dim')];
  return [EMPTY_ROW, ...spanRows([span('? ', 'warning'), span(text, 'strong'), ...of], { context, indent: 0 })];
}

/** The call in a few words, for the row that stays. */
export function callInShort({ call, request, agent }: Question): string {
  if (!call) return safeLine(typeof request.mcp_server_name === 'string' ? request.mcp_server_name : 'a server');
  const text = safeLine(`${callName(call.name)} ${call.subject}`).trim();
  return `${agent ? `${safeLine(agent.name)}: ` : ''}${text.length > SHORT ? `${text.slice(0, SHORT)}\u2026` : text}`;
}

const SHORT = 80;
