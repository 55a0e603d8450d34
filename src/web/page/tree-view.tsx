import type { VNode } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { SessionModel } from '../tree/session-model.ts';
import { shownTime, shownTokens, shownUsd } from '../tree/shown-figures.ts';
import { axisOf, type TimeAxis } from '../tree/time-axis.ts';
import { type TreeFilter, type TreeLine, treeLines } from '../tree/tree-lines.ts';
import type { Agent } from './source.ts';

const HEIGHT = 24;
const SPARE = 12;

export interface TreeProps {
  model: SessionModel;
  agents: readonly Agent[];
  filter: TreeFilter;
  isTimeline: boolean;
  /** The key of the line that is chosen. */
  chosen: string | null;
  choose: (line: TreeLine, by: 'key' | 'click') => void;
  /** Opens the agent of a line. */
  openAgent: (id: string) => void;
}

/** The session as a tree, in lines of one height: only those that are visible exist. */
export function TreeView({ model, agents, filter, isTimeline, chosen, choose, openAgent }: TreeProps): VNode {
  const box = useRef<HTMLDivElement>(null);
  const [toggled, setToggled] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [view, setView] = useState({ top: 0, height: 600 });
  const calls = useMemo(() => new Set(agents.flatMap(({ call }) => call ?? [])), [agents]);
  const lines = useMemo(() => treeLines(model, { filter, toggled, agents: calls }), [model, filter, toggled, calls]);
  const axis = useMemo(() => (isTimeline ? axisOf(model) : null), [model, isTimeline]);
  const at = lines.findIndex(({ key }) => key === chosen);

  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const look = () => setView({ top: element.scrollTop, height: element.clientHeight });
    look();
    const observer = new ResizeObserver(look);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  useEffect(() => {
    const element = box.current;
    if (!element || at < 0) return;
    const top = at * HEIGHT;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + HEIGHT > element.scrollTop + element.clientHeight)
      element.scrollTop = top + HEIGHT - element.clientHeight;
  }, [at]);

  const lastKey = useRef('');
  const toggle = (line: TreeLine, isOpen = !line.isOpen) => setToggled(new Map(toggled).set(line.key, isOpen));
  const onKeyDown = (event: KeyboardEvent) => {
    const isTop = event.key === 'g' && lastKey.current === 'g';
    lastKey.current = isTop ? '' : event.key;
    const target = isTop ? 0 : keyTarget(event, lines, at);
    if (target === null) return;
    event.preventDefault();
    event.stopPropagation();
    if (target === 'open' || target === 'close') {
      const line = lines[at];
      if (line?.isOpen !== undefined) toggle(line, target === 'open');
    } else if (lines[target]) choose(lines[target], 'key');
  };

  const first = Math.max(0, Math.floor(view.top / HEIGHT) - SPARE);
  const visible = lines.slice(first, Math.ceil((view.top + view.height) / HEIGHT) + SPARE);
  return (
    <div
      class="tree"
      ref={box}
      role="tree"
      aria-label="tree of the session"
      tabIndex={0}
      aria-activedescendant={at >= 0 ? `line-${lines[at]?.key}` : undefined}
      onScroll={(event) => setView({ top: event.currentTarget.scrollTop, height: event.currentTarget.clientHeight })}
      onKeyDown={onKeyDown}
    >
      <div role="presentation" style={{ height: `${lines.length * HEIGHT}px` }}>
        <div role="presentation" style={{ transform: `translateY(${first * HEIGHT}px)` }}>
          {visible.map((line) => (
            <Line
              key={line.key}
              line={line}
              axis={axis}
              isChosen={line.key === chosen}
              choose={() => choose(line, 'click')}
              toggle={() => toggle(line)}
              openAgent={agentOf(line, agents, openAgent)}
            />
          ))}
        </div>
      </div>
    </div>
  );
}

function agentOf({ kind, call }: TreeLine, agents: readonly Agent[], open: (id: string) => void): (() => void) | null {
  const agent = kind === 'agent' ? agents.find((each) => each.call === call?.part.call) : undefined;
  return agent ? () => open(agent.id) : null;
}

interface LineProps {
  line: TreeLine;
  axis: TimeAxis | null;
  isChosen: boolean;
  choose: () => void;
  toggle: () => void;
  openAgent: (() => void) | null;
}

const MARKS: Record<TreeLine['kind'], string> = {
  prompt: '●',
  text: '¶',
  thinking: '…',
  call: '▪',
  agent: '◆',
  branch: '├○',
  compaction: '◇',
  note: '·',
};

function Line({ line, axis, isChosen, choose, toggle, openAgent }: LineProps): VNode {
  const { kind, depth, label, call, sums, ms, isError, isOpen, isOnPath, isActive } = line;
  const classes = ['line', kind, isChosen && 'chosen', isError && 'failed', !isOnPath && 'aside', isActive && 'active'];
  return (
    <div
      id={`line-${line.key}`}
      class={classes.filter(Boolean).join(' ')}
      role="treeitem"
      aria-level={depth + 1}
      aria-selected={isChosen}
      aria-expanded={isOpen}
      onClick={choose}
      onDblClick={openAgent ?? toggle}
      style={{ paddingLeft: `${8 + Math.min(depth, 12) * 14}px` }}
    >
      <span class="fold" aria-hidden="true" onClick={alone(isOpen === undefined ? choose : toggle)}>
        {isOpen === undefined ? '' : isOpen ? '▾' : '▸'}
      </span>
      <span class="mark" aria-hidden="true">
        {MARKS[kind]}
      </span>
      {call && <span class="tool">{call.part.tool}</span>}
      <span class="label">{label === '' ? kind : label}</span>
      {isError && kind !== 'prompt' && kind !== 'branch' && <span class="bad">✗</span>}
      {isActive && <span class="here">◀ active</span>}
      {openAgent && (
        <button type="button" class="agent" tabIndex={-1} onClick={alone(openAgent)}>
          open
        </button>
      )}
      {axis ? <Bar line={line} axis={axis} /> : <span class="figures">{figuresOf(sums, ms, kind)}</span>}
    </div>
  );
}

/** Does not choose the line, too. */
function alone(act: () => void): (event: Event) => void {
  return (event) => {
    event.stopPropagation();
    act();
  };
}

function figuresOf(sums: TreeLine['sums'], ms: number | null, kind: TreeLine['kind']): string {
  const parts: string[] = [];
  if (sums)
    parts.push(
      sums.usd === null ? (sums.input > 0 ? `${shownTokens(sums.input + sums.output)} tok` : '') : shownUsd(sums.usd),
    );
  if (kind === 'branch' && sums) parts.push(`${sums.turns} ${sums.turns === 1 ? 'turn' : 'turns'}`);
  const time = ms ?? (kind === 'branch' ? (sums?.ms ?? null) : null);
  if (time !== null) parts.push(shownTime(time));
  return parts.filter(Boolean).join(' · ');
}

/** When it began and how long it took; times in which nothing worked are left out of the axis. */
function Bar({ line, axis }: { line: TreeLine; axis: TimeAxis }): VNode {
  const start = line.row.at;
  if (start === undefined) return <span class="bar" />;
  const [from, to] = [axis.at(start), axis.at(start + (line.ms ?? 0))];
  const style = { left: `${from * 100}%`, width: `${Math.max(0.4, (to - from) * 100)}%` };
  return (
    <span class="bar" title={line.ms === null ? '' : shownTime(line.ms)}>
      <i style={style} />
    </span>
  );
}

/** The number of the line that a key leads to, or what it does with the current one; null: nothing. */
function keyTarget(
  { key, ctrlKey, metaKey, altKey }: KeyboardEvent,
  lines: readonly TreeLine[],
  at: number,
): number | 'open' | 'close' | null {
  if (ctrlKey || metaKey || altKey) return null;
  const line = lines[at];
  switch (key) {
    case 'ArrowDown':
    case 'j':
      return Math.min(lines.length - 1, at + 1);
    case 'ArrowUp':
    case 'k':
      return Math.max(0, at - 1);
    case 'ArrowRight':
    case 'l':
      return line?.isOpen === false ? 'open' : Math.min(lines.length - 1, at + 1);
    case 'ArrowLeft':
    case 'h': {
      if (line?.isOpen) return 'close';
      const above = lines.slice(0, Math.max(0, at)).findLastIndex(({ depth }) => depth < (line?.depth ?? 0));
      return above >= 0 ? above : null;
    }
    case 'PageDown':
      return Math.min(lines.length - 1, at + 20);
    case 'PageUp':
      return Math.max(0, at - 20);
    case 'Home':
      return 0;
    case 'End':
    case 'G':
      return lines.length - 1;
    case 'Enter':
    case ' ':
      return line?.isOpen === undefined ? Math.max(0, at) : line.isOpen ? 'close' : 'open';
    default:
      return null;
  }
}
