import type { JsonObject } from '../../src/util/json.ts';
import type { Block, Change, ViewTracker } from '../../src/view/index.ts';
import { createViewTracker } from '../../src/view/index.ts';

/** Lines as an agent writes them, with the fields that a view reads. */
export const event = (fields: object, parent: string | null = null): JsonObject => ({
  type: 'stream_event',
  event: fields,
  parent_tool_use_id: parent,
});
export const begun = (id: string) => event({ type: 'message_start', message: { id, model: 'm', usage: {} } });
export const piece = (text: string, index = 0) =>
  event({ type: 'content_block_delta', index, delta: { type: 'text_delta', text } });
export const opening = (content_block: object, index = 0) =>
  event({ type: 'content_block_start', index, content_block });

export function answer(id: string, content: object, more: object = {}): JsonObject {
  return {
    type: 'assistant',
    uuid: `u-${id}`,
    parent_tool_use_id: null,
    message: { id, model: 'm', content: [content], usage: {} },
    ...more,
  };
}
export const text = (id: string, words: string) => answer(id, { type: 'text', text: words });
export const call = (id: string, name: string, input: object = {}, message = 'm1') =>
  answer(message, { type: 'tool_use', id, name, input });
export const done = (id: string, content = 'ok', more: object = {}): JsonObject => ({
  type: 'user',
  uuid: `r-${id}`,
  parent_tool_use_id: null,
  message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content }] },
  ...more,
});
export const system = (subtype: string, fields: object = {}): JsonObject => ({ type: 'system', subtype, ...fields });
export const result = (fields: object = {}): JsonObject => ({
  type: 'result',
  subtype: 'success',
  is_error: false,
  result: '',
  ...fields,
});

/** A tracker that has taken these lines, and the blocks that are done. */
export function after(...lines: JsonObject[]): { tracker: ViewTracker; blocks: Block[]; changes: Change[] } {
  const tracker = createViewTracker();
  const changes = lines.flatMap((line, at) => tracker.note(line, at * 1000));
  return { tracker, blocks: blocksIn(changes), changes };
}

export function blocksIn(changes: readonly Change[]): Block[] {
  return changes.flatMap((change) => (change.type === 'done' ? change.block : []));
}

export function only<Kind extends Block['kind']>(blocks: readonly Block[], kind: Kind): (Block & { kind: Kind })[] {
  return blocks.filter((block): block is Block & { kind: Kind } => block.kind === kind);
}
