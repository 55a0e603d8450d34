import assert from 'node:assert/strict';
import type { Query, SDKMessage, SDKUserMessage } from '../../src/sdk/index.ts';
import { type AnswerLike, reply, text, toolUse } from '../../src/testing/index.ts';
import { isResult, type Line, toolResult } from '../support/lines.ts';

/** A prompt as a host of the reference SDK writes it. */
export function user(content: string | object[], fields: Partial<SDKUserMessage> = {}): SDKUserMessage {
  const message = { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null, session_id: '' };
  return { ...message, ...fields } as SDKUserMessage;
}

export const bash = (command: string): AnswerLike => toolUse('Bash', { command });
export const write = (path: string, content = 'written\n') => toolUse('Write', { file_path: path, content });

/** An answer that begins and never ends. */
export const endless: AnswerLike = reply([text('begun')], { fault: { after: { block: 0 }, how: 'hang' } });

/** The next message that fits; those before it are skipped. */
export async function next(run: AsyncIterator<SDKMessage, void>, fits: (line: Line) => boolean): Promise<Line> {
  for (;;) {
    const { value, done } = await run.next();
    if (done) throw new Error('The run ended before the message that was waited for');
    const line = value as unknown as Line;
    if (fits(line)) return line;
  }
}

export function nextResult(run: AsyncIterator<SDKMessage, void>): Promise<Line> {
  return next(run, isResult);
}

/** Reads to the end and says how many messages there were. */
export async function drain(run: Query): Promise<number> {
  let count = 0;
  for await (const _ of run) count++;
  return count;
}

export function initOf(lines: Line[]): Line {
  const init = lines.find(({ subtype }) => subtype === 'init');
  assert(init, 'There was no init message');
  return init;
}

export function resultsOf(lines: Line[]): Line[] {
  return lines.filter(isResult);
}

/** The text of the n-th tool result. */
export function toolText(lines: Line[], at = 0): string {
  const block = lines.map(toolResult).filter((each) => each !== undefined)[at];
  assert(block, `There is no tool result ${at}`);
  return typeof block.content === 'string' ? block.content : JSON.stringify(block.content);
}

export function namesOf(denials: unknown): string[] {
  return (denials as { tool_name: string }[]).map(({ tool_name }) => tool_name);
}
