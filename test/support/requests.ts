import type { FakeApiRequest } from '../../src/testing/index.ts';
import { type Block, blocksOf, textsOf } from './lines.ts';

/** A request to the model API, as far as tests look into it. */
export interface Body {
  model: string;
  system?: Block[];
  tools?: { name: string }[];
  messages: ApiMessage[];
  [key: string]: unknown;
}

interface ApiMessage {
  role: string;
  content: string | Block[];
}

export function bodyOf(request: FakeApiRequest | undefined): Body {
  if (!request) throw new Error('There was no such request');
  return request.body as unknown as Body;
}

/** All texts of the conversation, the texts of tool results included. */
export function conversationText(request: FakeApiRequest | undefined): string {
  return bodyOf(request).messages.flatMap(textsOf).join('\n');
}

/** What the real API would refuse: trust S-6. An empty list is a valid conversation. */
export function apiFaults({ messages }: Body): string[] {
  const faults: string[] = [];
  const ids = new Set<string>();
  messages.forEach((message, at) => {
    if (message.role !== (at % 2 === 0 ? 'user' : 'assistant')) faults.push(`message ${at} is of ${message.role}`);
    const blocks = blocksOf(message);
    if (blocks.length === 0) faults.push(`message ${at} is empty`);
    if (blocks.some((block) => block.type === 'text' && !block.text?.trim())) faults.push(`empty text in ${at}`);
    for (const { id } of calls(message)) {
      if (ids.has(id)) faults.push(`${id} is called twice`);
      ids.add(id);
    }
    const asked = calls(messages[at - 1]).map(({ id }) => id);
    const answered = blocks.flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id ?? ''] : []));
    if (asked.toSorted().join() !== answered.toSorted().join()) {
      faults.push(`message ${at} answers [${answered}], asked was [${asked}]`);
    }
  });
  const last = messages.at(-1);
  if (last?.role !== 'user') faults.push('the last message is not the user’s');
  return faults;
}

function calls(message: ApiMessage | undefined): { id: string }[] {
  return blocksOf(message).flatMap(({ type, id = '' }) => (type === 'tool_use' ? [{ id }] : []));
}

/** Whether a request begins with all that an earlier one had sent, cache marks aside: what providers can reuse. */
export function isPrefix(earlier: Body, later: Body): boolean {
  const [before, after] = [pieces(earlier), pieces(later)];
  return before.every((piece, at) => piece === after[at]);
}

/** The settings, then each block with its role. */
function pieces({ messages, ...settings }: Body): string[] {
  const blocks = messages.flatMap((message) => blocksOf(message).map((block) => [message.role, block]));
  return [settings, ...blocks].map((piece) =>
    JSON.stringify(piece, (key, value) => (key === 'cache_control' ? undefined : value)),
  );
}
