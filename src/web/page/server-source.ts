import { readEvents } from './read-events.ts';
import { type EntryItem, type LiveEvent, type Of, type RowsPage, type Source, SourceError } from './source.ts';

const RANGE_LIMIT = 180;

/** Sessions of a server, with the token that the page has traded for its code. */
export function serverSource(token: string, { canChange }: { canChange: boolean }): Source {
  const images = new Map<string, Promise<string>>();
  const ask = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const headers = { authorization: `Bearer ${token}`, ...init.headers };
    const response = await fetch(path, { ...init, headers }).catch(() => {
      throw new SourceError('The server does not answer: start it again with heddle web', { status: 0, code: 'gone' });
    });
    if (response.ok) return response;
    const { error } = await response.json().catch(() => ({ error: null }));
    const message = error?.message ?? `The server answered ${response.status}`;
    throw new SourceError(message, { status: response.status, code: error?.code ?? '' });
  };
  const read = async <T>(path: string, signal?: AbortSignal): Promise<T> =>
    (await ask(path, signal ? { signal } : {})).json() as Promise<T>;
  const blob = async (of: Of, row: number, path: unknown) =>
    ask(`${pathOf(of)}/rows/${row}/blob?path=${encodeURIComponent(JSON.stringify(path))}`);

  return {
    kind: 'server',
    canChange,
    sessions: ({ q = '', archived = false, from = 0 }) =>
      read(`/v1/home/sessions?limit=500&from=${from}&archived=${archived}${q ? `&q=${encodeURIComponent(q)}` : ''}`),
    session: (id) => read(`/v1/home/sessions/${id}`),
    figures: async (id) => (await read<{ figures: never }>(`/v1/home/sessions/${id}/figures`)).figures,
    rows: (of, since) =>
      read(`${pathOf(of)}/rows${since ? `?since=${since.version}&life=${since.life}` : ''}`) as Promise<RowsPage>,
    tail: async (id) => (await read<{ entries: EntryItem[] }>(`/v1/home/sessions/${id}/tail`)).entries,
    async entries(of, rows) {
      const found: EntryItem[] = [];
      for (let rest = [...rows]; rest.length > 0; ) {
        const asked = rest.splice(0, RANGE_LIMIT);
        const page = await read<{ entries: EntryItem[]; next?: number }>(`${pathOf(of)}/entries?rows=${ranges(asked)}`);
        found.push(...page.entries);
        if (page.next === undefined) continue;
        rest = [...asked.slice(asked.indexOf(page.next)), ...rest];
      }
      return found;
    },
    text: async (of, row, path) => (await blob(of, row, path)).text(),
    image(of, row, path) {
      const key = `${pathOf(of)} ${row} ${path.join('.')}`;
      const known =
        images.get(key) ?? blob(of, row, path).then(async (answer) => URL.createObjectURL(await answer.blob()));
      images.set(key, known);
      known.catch(() => images.delete(key));
      return known;
    },
    agents: async (id) => (await read<{ agents: [] }>(`/v1/home/sessions/${id}/agents`)).agents,
    search(query, id, isPattern) {
      const where = id === null ? '/v1/home/search' : `/v1/home/sessions/${id}/search`;
      return read(`${where}?q=${encodeURIComponent(query)}&regex=${isPattern}`);
    },
    async *follow(id, { version, life }, signal) {
      const answer = await ask(`/v1/home/sessions/${id}/live?since=${version}&life=${life}`, { signal });
      for await (const { event, data } of readEvents(answer)) {
        yield { event, data: JSON.parse(data) } as LiveEvent;
      }
    },
    stream: (path, signal) => ask(path, { signal }),
    async send(method, path, body) {
      const headers: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
      const answer = await ask(path, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
      return (await answer.json().catch(() => ({}))) as Record<string, unknown>;
    },
  };
}

function pathOf({ id, agent }: Of): string {
  return `/v1/home/sessions/${id}${agent === undefined ? '' : `/agents/${agent}`}`;
}

/** `0-9,12`. */
function ranges(numbers: readonly number[]): string {
  const found: [number, number][] = [];
  for (const n of numbers) {
    const last = found.at(-1);
    if (last && n === last[1] + 1) last[1] = n;
    else found.push([n, n]);
  }
  return found.map(([from, to]) => (from === to ? from : `${from}-${to}`)).join(',');
}
