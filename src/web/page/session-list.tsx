import type { VNode } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { shownAge, shownBytes, shownUsd } from '../tree/shown-figures.ts';
import { addressOf } from './page-address.ts';
import type { Listed, Source } from './source.ts';

const HEIGHT = 56;
const REFRESH_MS = 3000;

/** All sessions of the home, filtered while a person types. */
export function SessionList({ source, chosen }: { source: Source; chosen: string | null }): VNode {
  const [query, setQuery] = useState('');
  const [archived, setArchived] = useState(false);
  const [sessions, setSessions] = useState<Listed[]>([]);
  const [total, setTotal] = useState<number | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [view, setView] = useState({ top: 0, height: 800 });
  const box = useRef<HTMLDivElement>(null);

  useEffect(() => {
    let isGone = false;
    const look = async () => {
      try {
        const found: Listed[] = [];
        let all = 1;
        while (found.length < all) {
          const page = await source.sessions({ q: query, archived, from: found.length });
          all = page.total;
          found.push(...page.sessions);
          if (page.sessions.length === 0) break;
        }
        if (isGone) return;
        setSessions(found);
        setTotal(all);
        setProblem(null);
      } catch (error) {
        if (!isGone) setProblem((error as Error).message);
      }
    };
    const first = setTimeout(look, query === '' ? 0 : 120);
    const timer = setInterval(() => document.visibilityState === 'visible' && look(), REFRESH_MS);
    return () => {
      isGone = true;
      clearTimeout(first);
      clearInterval(timer);
    };
  }, [source, query, archived]);

  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const look = () => setView({ top: element.scrollTop, height: element.clientHeight });
    const observer = new ResizeObserver(look);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  const first = Math.max(0, Math.floor(view.top / HEIGHT) - 5);
  const visible = sessions.slice(first, Math.ceil((view.top + view.height) / HEIGHT) + 5);
  return (
    <nav class="list" aria-label="sessions">
      <div class="find">
        <input
          id="filter"
          type="search"
          placeholder="filter sessions"
          aria-label="filter sessions"
          value={query}
          onInput={(event) => setQuery(event.currentTarget.value)}
        />
        <label>
          <input type="checkbox" checked={archived} onChange={(event) => setArchived(event.currentTarget.checked)} />{' '}
          archived too
        </label>
      </div>
      {problem !== null && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <div
        class="items"
        ref={box}
        tabIndex={0}
        role="region"
        aria-label="list of sessions"
        onScroll={(event) => setView({ top: event.currentTarget.scrollTop, height: event.currentTarget.clientHeight })}
      >
        <div style={{ height: `${sessions.length * HEIGHT}px` }}>
          <ul style={{ transform: `translateY(${first * HEIGHT}px)` }}>
            {visible.map((session) => (
              <Item key={session.id} source={source} session={session} isChosen={session.id === chosen} />
            ))}
          </ul>
        </div>
        {total === 0 && <p class="empty">{query === '' ? 'There are no sessions yet.' : 'No session fits.'}</p>}
      </div>
      <footer>{total === null ? '' : `${total} ${total === 1 ? 'session' : 'sessions'}`}</footer>
    </nav>
  );
}

function Item({ source, session, isChosen }: { source: Source; session: Listed; isChosen: boolean }): VNode {
  const { id, title, cwd, tag, holder, archived, changed_at: changedAt, bytes } = session;
  const [figures, setFigures] = useState<{ turns: number; costUsd: number | null } | null>(null);
  useEffect(() => {
    let isGone = false;
    const timer = setTimeout(
      () =>
        source.figures(id).then(
          (found) => isGone || setFigures(found),
          () => {},
        ),
      200,
    );
    return () => {
      isGone = true;
      clearTimeout(timer);
    };
  }, [id, changedAt]);
  const details = [
    cwd?.split('/').at(-1),
    shownAge(changedAt, Date.now()),
    figures ? `${figures.turns} ${figures.turns === 1 ? 'turn' : 'turns'}` : shownBytes(bytes),
    figures?.costUsd ? shownUsd(figures.costUsd) : '',
  ];
  return (
    <li class={`${isChosen ? 'chosen' : ''}${archived ? ' archived' : ''}`}>
      <a
        href={addressOf({ session: id })}
        aria-current={isChosen ? 'page' : undefined}
        title={`${title}\n${cwd ?? ''}`}
      >
        <span class="title">
          {holder && (
            <span class={`live ${holder.state ?? ''}`} role="img" aria-label={`process ${holder.pid} works on it`}>
              ●
            </span>
          )}
          {title}
        </span>
        <span class="details">
          {tag && <span class="tag">{tag}</span>}
          {details.filter(Boolean).join(' · ')}
        </span>
      </a>
    </li>
  );
}
