import type { ComponentChildren, VNode } from 'preact';
import type { Row } from '../../sessions/indexed/row.ts';
import type { SessionModel } from '../tree/session-model.ts';
import { CUT, LongText, Picture, type TextPosition } from './long-text.tsx';
import { Markdown } from './markdown.tsx';
import { addressOf } from './page-address.ts';
import type { Agent, EntryItem, Of, Source } from './source.ts';
import { CallView } from './tool-views.tsx';
import { blocksIn, type Fields, textIn } from './values.ts';

export interface EntryProps {
  source: Source;
  of: Of;
  model: SessionModel;
  row: Row | null;
  item: EntryItem;
  /** The entries around it, by row: results of its calls are among them. */
  others: ReadonlyMap<number, EntryItem>;
  agents: readonly Agent[];
  isChosen: boolean;
  /** The message before is of the same author: its name is not said again. */
  isSame?: boolean;
  choose: (row: Row) => void;
  openAgent: (id: string) => void;
}

/** One message of the conversation. */
export function EntryView(props: EntryProps): VNode | null {
  const { row, item, of, isChosen, isSame = false, choose } = props;
  const kind = row?.kind ?? (item.entry.type === 'assistant' ? 'answer' : 'prompt');
  const body = bodyOf(kind, props);
  if (body === null) return null;
  const id = row?.id ?? textIn(item.entry, 'uuid') ?? '';
  return (
    <article
      class={`entry ${kind}${isChosen ? ' chosen' : ''}${isSame ? ' same' : ''}${row?.isError ? ' failed' : ''}`}
      data-id={id}
    >
      <header>
        <span class="who">{WHO[kind] ?? kind}</span>
        {row?.at !== undefined && (
          <time dateTime={new Date(row.at).toISOString()}>{new Date(row.at).toLocaleString()}</time>
        )}
        {row && (
          <>
            <a
              class="link"
              href={addressOf({ session: of.id, agent: of.agent ?? null, message: id })}
              aria-label="link to this message"
            >
              #
            </a>
            <button type="button" class="details" onClick={() => choose(row)}>
              details
            </button>
          </>
        )}
      </header>
      {body}
    </article>
  );
}

const WHO: Record<string, string> = {
  prompt: 'You',
  answer: 'Agent',
  summary: 'Compacted',
  boundary: 'Compaction',
  note: 'Note',
  result: 'Result',
};

function bodyOf(kind: string, props: EntryProps): ComponentChildren {
  const { item, row, source, of } = props;
  const { entry } = item;
  if (kind === 'summary') {
    return (
      <details>
        <summary>the summary of what came before</summary>
        <Blocks {...props} />
      </details>
    );
  }
  if (kind === 'boundary') return <p class="compaction">◇ {row?.parts[0]?.label}</p>;
  if (kind === 'note') {
    const content = textIn(entry, 'content');
    const place = { source, of, item, path: ['content'] };
    return content === undefined ? (
      <Blocks {...props} />
    ) : (
      <LongText text={content} place={place} draw={(text) => <pre class="out">{text}</pre>} />
    );
  }
  return <Blocks {...props} />;
}

function Blocks(props: EntryProps): VNode | null {
  const { item } = props;
  const shown = blocksIn(item.entry).map(({ block, path }, at) => (
    <Block key={at} {...props} block={block} path={path} />
  ));
  return shown.length === 0 ? null : <div>{shown}</div>;
}

function Block({ block, path, ...props }: EntryProps & { block: Fields; path: (string | number)[] }): VNode | null {
  const { source, of, item, model, others, agents, openAgent } = props;
  const place = (...way: (string | number)[]): TextPosition => ({ source, of, item, path: [...path, ...way] });
  const isPlain = path.length === 3 && path[2] === 'text';
  switch (block.type) {
    case 'text': {
      const text = textIn(block, 'text') ?? '';
      const where = isPlain ? { source, of, item, path } : place('text');
      if (item.entry.type === 'assistant' && text.length <= CUT * 4) return <Answer text={text} place={where} />;
      return <LongText text={text} place={where} draw={(shown) => <div class="plain">{shown}</div>} />;
    }
    case 'thinking': {
      const text = textIn(block, 'thinking') ?? '';
      if (text === '') return null;
      return (
        <details class="thinking">
          <summary>thinking</summary>
          <LongText text={text} place={place('thinking')} draw={(shown) => <div class="plain">{shown}</div>} />
        </details>
      );
    }
    case 'image':
      return <Picture {...place('source', 'data')} />;
    case 'tool_result':
      return null; // stands with its call
    case 'tool_use':
    case 'server_tool_use':
    case 'mcp_tool_use': {
      const id = textIn(block, 'id') ?? '';
      const call = model.calls.get(id);
      if (!call) return <p class="named">[{textIn(block, 'name')}]</p>;
      const result = call.result ? (others.get(call.result.row.n) ?? null) : null;
      const agent = agents.find((each) => each.call === id);
      const opened = agent ? { label: agent.kind ?? agent.id, open: () => openAgent(agent.id) } : null;
      return <CallView source={source} of={of} call={call} item={item} result={result} agent={opened} />;
    }
    default:
      return <p class="named">[{String(block.type)}]</p>;
  }
}

/** An answer is Markdown; what was cut of it is read again as a whole. */
function Answer({ text, place }: { text: string; place: TextPosition }): VNode {
  return <LongText text={text} place={place} draw={(shown) => <Markdown text={shown} />} />;
}
