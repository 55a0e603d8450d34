import {
  type Agent,
  type EntryItem,
  type Hit,
  type Of,
  type RowsPage,
  type Source,
  SourceError,
  type Way,
} from './source.ts';
import { isFields } from './values.ts';

/** What an exported file says about itself; the exporter writes it. */
interface FileHead {
  id: string;
  page: RowsPage;
  agents: Agent[];
  agentPages: Record<string, RowsPage>;
  /** For each transcript (empty: the session): the first rows of its pieces. */
  pieces: Record<string, number[]>;
}

/** The session that is part of the document; null: it is not an exported file. */
export async function fileSource(document: Document): Promise<Source | null> {
  const head = document.getElementById('heddle-head');
  if (!head) return null;
  const { id, page, agents, agentPages, pieces } = (await unpacked(head)) as FileHead;
  if (!/^#\/s\//.test(location.hash)) history.replaceState(null, '', `#/s/${id}`);
  const opened = new Map<string, Promise<EntryItem[]>>();
  const piece = (name: string) => {
    const known = opened.get(name) ?? unpacked(document.getElementById(name)).then((items) => items as EntryItem[]);
    opened.set(name, known);
    for (const old of [...opened.keys()].slice(0, -8)) opened.delete(old);
    return known;
  };
  const entries = async ({ agent = '' }: Of, rows: readonly number[]) => {
    const starts = pieces[agent] ?? [];
    const wanted = new Set(rows);
    const found: EntryItem[] = [];
    for (const number of new Set(rows.map((row) => starts.findLastIndex((start) => start <= row)))) {
      if (number < 0) continue;
      for (const item of await piece(`heddle-${agent}-${number}`)) if (wanted.has(item.n ?? -1)) found.push(item);
    }
    return found;
  };
  const valueAt = async (of: Of, row: number, path: Way): Promise<string> => {
    let value: unknown = (await entries(of, [row]))[0]?.entry;
    for (const key of path)
      value = Array.isArray(value) ? value[Number(key)] : isFields(value) ? value[String(key)] : undefined;
    if (typeof value !== 'string') throw notThere();
    return value;
  };
  const searchIn = async (query: string, of: Of, total: number): Promise<Hit[]> => {
    const hits: Hit[] = [];
    for (let from = 0; from < total && hits.length < 200; from += 200) {
      const rows = Array.from({ length: Math.min(200, total - from) }, (_, at) => from + at);
      for (const item of await entries(of, rows)) hits.push(...hitsIn(item, query, of));
    }
    return hits;
  };
  return {
    kind: 'file',
    canChange: false,
    sessions: async () => ({ sessions: [], total: 0 }),
    session: async () => {
      throw notThere();
    },
    figures: async () => null,
    rows: async ({ agent }) => (agent === undefined ? page : (agentPages[agent] ?? page)),
    tail: async () => [],
    entries,
    text: valueAt,
    async image(of, row, path) {
      const bytes = Uint8Array.from(atob(await valueAt(of, row, path)), (character) => character.charCodeAt(0));
      if (!isImage(bytes)) throw notThere();
      return URL.createObjectURL(new Blob([bytes]));
    },
    agents: async () => agents,
    async search(query) {
      const hits = await searchIn(query, { id }, page.total);
      for (const agent of agents)
        hits.push(...(await searchIn(query, { id, agent: agent.id }, agentPages[agent.id]?.total ?? 0)));
      return { hits: hits.slice(0, 200), isCut: hits.length > 200 };
    },
    async *follow() {},
    stream: async () => {
      throw notThere();
    },
    send: async () => {
      throw notThere();
    },
  };
}

function hitsIn({ entry }: EntryItem, query: string, { id, agent }: Of): Hit[] {
  const wanted = query.toLowerCase();
  const hits: Hit[] = [];
  const visit = (value: unknown, depth: number) => {
    if (hits.length > 0 || depth > 12) return;
    if (typeof value === 'string') {
      const at = value.toLowerCase().indexOf(wanted);
      if (at < 0) return;
      const around = {
        before: value.slice(Math.max(0, at - 60), at),
        after: value.slice(at + query.length, at + query.length + 60),
      };
      const match = value.slice(at, at + query.length);
      const uuid = typeof entry.uuid === 'string' ? { uuid: entry.uuid } : {};
      hits.push({
        sessionId: id,
        ...(agent !== undefined && { agentId: agent }),
        ...uuid,
        role: String(entry.type),
        ...around,
        match,
      });
    } else if (Array.isArray(value)) for (const each of value) visit(each, depth + 1);
    else if (isFields(value)) for (const each of Object.values(value)) visit(each, depth + 1);
  };
  visit(entry.message ?? entry.content, 0);
  return hits;
}

async function unpacked(element: HTMLElement | null): Promise<unknown> {
  if (!element) throw notThere();
  const bytes = Uint8Array.from(atob((element.textContent ?? '').trim()), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream).json();
}

function isImage(bytes: Uint8Array): boolean {
  const heads = [
    [0x89, 0x50, 0x4e, 0x47],
    [0xff, 0xd8, 0xff],
    [0x47, 0x49, 0x46, 0x38],
    [0x52, 0x49, 0x46, 0x46],
  ];
  return heads.some((head) => head.every((byte, at) => bytes[at] === byte));
}

function notThere(): SourceError {
  return new SourceError('This is not part of the file', { status: 404, code: 'not_found' });
}
