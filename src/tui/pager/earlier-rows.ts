import { isObject, type JsonObject } from '../../util/json.ts';
import type { Block } from '../../view/blocks.ts';
import type { EarlierUse } from '../../view/changes.ts';
import type { BlockContext } from '../rows/blocks/block-context.ts';
import { noteRows } from '../rows/blocks/block-to-rows.ts';
import { codeColours } from '../rows/markdown/answer-rows.ts';
import { EMPTY_ROW, type Row } from '../rows/row.ts';
import type { Stage } from '../stage/stage.ts';
import { shortRows } from './block-part.ts';
import { askMessages, blocksOfMessages } from './transcript.ts';

/** So much of a conversation that one comes back to is printed again. */
const MOST_ROWS = 200;
const MESSAGES = 100;

/** The last turns of the session, as the scrollback shows them, under the number of messages before. */
export async function printEarlier(stage: Stage, { most = MOST_ROWS } = {}): Promise<void> {
  const [{ messages, total }, used] = await Promise.all([askMessages(stage, { limit: MESSAGES }), earlierUse(stage)]);
  stage.take(stage.tracker.earlier(messages, used));
  const blocks = blocksOfMessages(messages);
  const { shown, rows } = lastRows(blocks, stage.context, most);
  if (rows.length === 0) return;
  const first = shown[0]?.uuids[0];
  const at = messages.findIndex(({ uuid }) => uuid === first);
  const before = total - messages.length + Math.max(0, at);
  const note = `\u2026 ${before} earlier message${before === 1 ? '' : 's'} (ctrl+o)`;
  stage.printRows([...(before > 0 ? [EMPTY_ROW, ...noteRows(note, 'dim', stage.context)] : []), ...rows]);
}

/** What the meters show before the first result; nothing where the session does not tell. */
async function earlierUse(stage: Stage): Promise<EarlierUse> {
  const ask = (subtype: 'get_context_usage' | 'get_usage') => stage.call({ subtype }).catch((): JsonObject => ({}));
  const [context, usage] = await Promise.all([ask('get_context_usage'), ask('get_usage')]);
  const session = isObject(usage.session) ? usage.session : {};
  return {
    ...(typeof context.totalTokens === 'number' && { contextTokens: context.totalTokens }),
    ...(typeof context.maxTokens === 'number' && { contextWindow: context.maxTokens }),
    ...(typeof session.total_cost_usd === 'number' && { costUsd: session.total_cost_usd }),
  };
}

const CALLS: ReadonlySet<Block['kind']> = new Set(['call', 'thought', 'todos', 'denial']);

/** The last blocks that have room, whole; the very last one in any case. Calls stand together. */
export function lastRows(
  blocks: readonly Block[],
  screen: BlockContext,
  most: number,
): { shown: readonly Block[]; rows: Row[] } {
  const context = { ...screen, colours: () => codeColours };
  const rows: Row[] = [];
  let at = blocks.length;
  for (; at > 0; at--) {
    const block = blocks[at - 1] as Block;
    const own = shortRows(block, context);
    if (rows.length > 0 && rows.length + own.length + 1 > most) break;
    const before = blocks[at - 2];
    const isGrouped = before !== undefined && CALLS.has(before.kind) && CALLS.has(block.kind);
    if (own.length > 0) rows.unshift(...(isGrouped ? own : [EMPTY_ROW, ...own]));
  }
  return { shown: blocks.slice(at), rows };
}
