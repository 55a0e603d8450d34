import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { addressOf } from './page-address.ts';
import type { Hit, Source } from './source.ts';

/** Searches texts, in one session or (without an id) in all. */
export function SearchBox({ source, id }: { source: Source; id: string | null }): VNode {
  const [query, setQuery] = useState('');
  const [isPattern, setIsPattern] = useState(false);
  const [state, setState] = useState<{ hits: Hit[]; isCut: boolean } | null>(null);
  const [note, setNote] = useState('');
  const search = async (event: Event) => {
    event.preventDefault();
    if (query.trim() === '') return setState(null);
    setNote('searching …');
    try {
      setState(await source.search(query, id, isPattern));
      setNote('');
    } catch (error) {
      setState(null);
      setNote((error as Error).message);
    }
  };
  return (
    <form class="search" role="search" onSubmit={search}>
      <input
        type="search"
        id={id === null ? 'search-all' : 'search'}
        value={query}
        placeholder={id === null ? 'search all sessions' : 'search'}
        aria-label={id === null ? 'search all sessions' : 'search this session'}
        onInput={(event) => {
          setQuery(event.currentTarget.value);
          if (event.currentTarget.value === '') setState(null);
        }}
      />
      {source.kind === 'server' && (
        <label title="a regular expression of JavaScript">
          <input type="checkbox" checked={isPattern} onChange={(event) => setIsPattern(event.currentTarget.checked)} />{' '}
          .*
        </label>
      )}
      {note !== '' && (
        <p class="note" role="status">
          {note}
        </p>
      )}
      {state && (
        <ul class="hits" aria-label="hits">
          {state.hits.map((hit, at) => (
            <li key={at}>
              <a
                href={addressOf({ session: hit.sessionId, agent: hit.agentId ?? null, message: hit.uuid ?? null })}
                onClick={() => setState(null)}
              >
                <span class="role">{hit.role}</span> {hit.before}
                <mark>{hit.match}</mark>
                {hit.after}
              </a>
            </li>
          ))}
          <li class="count">
            {state.hits.length === 0 ? 'nothing found' : `${state.hits.length}${state.isCut ? ' or more' : ''} found`}
          </li>
        </ul>
      )}
    </form>
  );
}
