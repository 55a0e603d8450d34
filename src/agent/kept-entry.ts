import type { ApiMessage } from '../model/model.ts';
import type { Chain } from '../sessions/chain.ts';
import type { Entry } from '../wire/entries.ts';
import type { PlacedKept } from './kept.ts';

/** Not said by anybody now: viewers show it where it was said. */
export function keptEntry(chain: Chain, { kept, uuid }: PlacedKept): Entry {
  if (!('role' in kept)) return chain.attachmentEntry(kept, { uuid });
  const { role, content, model } = kept as ApiMessage;
  if (role === 'user') return chain.userEntry({ role, content }, { uuid, isMeta: true });
  const usage = { input_tokens: 0, output_tokens: 0 };
  const message = { id: `msg_${uuid}`, type: 'message', role, model, content, stop_reason: null, usage };
  return chain.assistantEntry(message, { uuid });
}
