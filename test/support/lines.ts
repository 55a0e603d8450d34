import type { FakeApiRequest } from '../../src/testing/index.ts';

/** A line of the protocol or of a session file, as far as tests look into it. */
export interface Line {
  type: string;
  subtype?: string;
  session_id?: string;
  uuid?: string;
  message?: { id?: string; role: string; content: string | Block[] };
  event?: { type: string };
  result?: string;
  is_error?: boolean;
  [key: string]: unknown;
}

export interface Block {
  type: string;
  text?: string;
  id?: string;
  name?: string;
  input?: Record<string, unknown>;
  tool_use_id?: string;
  content?: string | Block[];
  is_error?: boolean;
  [key: string]: unknown;
}

/** `type`, or `type/subtype`, or the kind of a stream event: enough to compare sequences. */
export function kindOf(line: Line): string {
  if (line.event) return line.event.type;
  return line.subtype === undefined ? line.type : `${line.type}/${line.subtype}`;
}

export function isResult(line: Line): boolean {
  return line.type === 'result';
}

/** The first init line. */
export function initOf(lines: readonly Line[]): Line {
  return found(
    lines.find((line) => kindOf(line) === 'system/init'),
    'init',
  );
}

/** The first result. */
export function resultOf(lines: readonly Line[]): Line {
  return found(lines.find(isResult), 'result');
}

function found(line: Line | undefined, name: string): Line {
  if (!line) throw new Error(`There is no ${name} line`);
  return line;
}

export function blocksOf(message: { content: string | readonly Block[] } | undefined): readonly Block[] {
  const content = message?.content ?? [];
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

/** What the model or the person reads of a message: texts and the texts of tool results. */
export function textsOf(message: { content: string | readonly Block[] } | undefined): string[] {
  return blocksOf(message).flatMap((block) => {
    if (block.type === 'text') return [block.text ?? ''];
    return block.type === 'tool_result' ? textsOf({ content: block.content ?? '' }) : [];
  });
}

/** The one tool result of a line. */
export function toolResult(line: Line | undefined): Block | undefined {
  return blocksOf(line?.message).find((block) => block.type === 'tool_result');
}

/** The texts of the newest request that the model got. */
export function lastAsked(requests: readonly FakeApiRequest[]): string {
  const messages = (requests.at(-1)?.body.messages ?? []) as Line['message'][];
  return messages.flatMap((message) => textsOf(message)).join('\n');
}
