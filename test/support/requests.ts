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
