import { isObject, type JsonObject, stringField } from '../../util/json.ts';
import type { Block } from '../../view/blocks.ts';
import { createViewTracker } from '../../view/tracker.ts';
import type { Stage } from '../stage/stage.ts';
import { blockPart } from './block-part.ts';
import type { PagerContent } from './row-pager.ts';

/** How many messages are asked for at once. */
const PAGE = 200;

/** Messages of a branch, and what tells of those before. */
export interface MessagePage {
  messages: readonly JsonObject[];
  total: number;
  before: string | undefined;
}

export interface PageAsked {
  /** The end of the branch; absent: the active one. */
  leaf?: string;
  before?: string | undefined;
  limit?: number;
}

/** A page of messages, the newest first page; asked over the wire as any host can. */
export async function askMessages(stage: Pick<Stage, 'call'>, asked: PageAsked = {}): Promise<MessagePage> {
  const { leaf, before, limit = PAGE } = asked;
  const answer = await stage.call({
    subtype: 'session_messages',
    ...(leaf !== undefined && { leaf_uuid: leaf }),
    ...(before !== undefined && { before }),
    limit,
  });
  const messages = Array.isArray(answer.messages) ? answer.messages.filter(isObject) : [];
  const total = typeof answer.total === 'number' ? answer.total : messages.length;
  return { messages, total, before: stringField(answer, 'before') };
}

/** What messages show, in their order. A call whose result is on another page has none. */
export function blocksOfMessages(messages: readonly JsonObject[]): Block[] {
  const tracker = createViewTracker();
  const changes = [
    ...messages.flatMap((line) => tracker.note(line, 0)),
    ...tracker.closed({ code: 0, signal: null }, 0),
  ];
  return changes.flatMap((change) => (change.type === 'done' ? [change.block] : []));
}

/** The conversation for the pager: its end first, what is before as one scrolls up. */
export async function transcriptContent(stage: Pick<Stage, 'call'>, leaf?: string): Promise<PagerContent> {
  const of = leaf === undefined ? {} : { leaf };
  const last = await askMessages(stage, of);
  let { before } = last;
  /** The first messages of the last page, until those before them tell whose results they are. */
  let first = resultsAtStart(last.messages);
  return {
    title: `${last.total} messages`,
    parts: blocksOfMessages(last.messages.slice(first.length)).map(blockPart),
    at: 'end',
    ...((before !== undefined || first.length > 0) && {
      async earlier() {
        if (before === undefined && first.length === 0) return [];
        const page = before === undefined ? null : await askMessages(stage, { ...of, before });
        const messages = [...(page?.messages ?? []), ...first];
        before = page?.before;
        first = before === undefined ? [] : resultsAtStart(messages);
        return blocksOfMessages(messages.slice(first.length)).map(blockPart);
      },
    }),
  };
}

/** Results at the beginning of a page belong to calls of the page before. */
function resultsAtStart(messages: readonly JsonObject[]): JsonObject[] {
  const end = messages.findIndex((line) => !isResult(line));
  return end < 0 ? [] : messages.slice(0, end);
}

function isResult({ type, message }: JsonObject): boolean {
  const content = type === 'user' && isObject(message) ? message.content : null;
  return Array.isArray(content) && content.some((block) => isObject(block) && block.type === 'tool_result');
}
