import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Row } from '../../sessions/indexed/row.ts';
import { type SessionModel, sessionModel } from '../tree/session-model.ts';
import type { Agent, EntryItem, Holder, Of, RowsPage, Source } from './source.ts';

export interface ShownSession {
  page: RowsPage | null;
  model: SessionModel;
  agents: Agent[];
  /** The end of the conversation, before the rows are there. */
  tail: EntryItem[];
  holder: Holder | null;
  problem: string | null;
  progress: { read: number; size: number } | null;
}

const NOTHING = sessionModel([], null);
const PAUSE_MS = 1000;

/** A session that is read and followed. */
export function useSession(source: Source, id: string, agent: string | null): ShownSession {
  const [page, setPage] = useState<RowsPage | null>(null);
  const [rows, setRows] = useState<readonly Row[]>([]);
  const [agents, setAgents] = useState<Agent[]>([]);
  const [tail, setTail] = useState<EntryItem[]>([]);
  const [holder, setHolder] = useState<Holder | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [progress, setProgress] = useState<ShownSession['progress']>(null);
  const known = useRef<{ life: number; rows: Row[] }>({ life: 0, rows: [] });

  useEffect(() => {
    const stop = new AbortController();
    const of: Of = { id, ...(agent !== null && { agent }) };
    known.current = { life: 0, rows: [] };
    const take = (next: RowsPage) => {
      const { current } = known;
      if (next.life !== current.life || next.total < current.rows.length) current.rows = [];
      current.life = next.life;
      const all = next.rows.length === 0 ? current.rows : [...current.rows];
      for (const row of next.rows) all[row.n] = row;
      current.rows = all;
      setRows(all);
      setPage(next);
      setProgress(null);
    };
    const fail = (error: Error) => {
      if (!stop.signal.aborted) setProblem(error.message);
    };
    const readAgents = () => source.agents(id).then(setAgents, () => {});
    if (agent === null)
      source.tail(id).then(
        (entries) => stop.signal.aborted || setTail(entries),
        () => {},
      );
    readAgents();
    (async () => {
      let first = await source.rows(of, null);
      for (; first.progress && !stop.signal.aborted; first = await source.rows(of, null)) setProgress(first.progress);
      if (stop.signal.aborted) return;
      take(first);
      if (agent !== null || source.kind === 'file') return;
      // A stream that ends begins again where it was.
      let seen = { version: first.version, life: first.life };
      for (; !stop.signal.aborted; await pause(PAUSE_MS)) {
        try {
          for await (const { event, data } of source.follow(id, seen, stop.signal)) {
            setProblem(null);
            if (event === 'rows') {
              take(data);
              seen = { version: data.version, life: data.life };
              readAgents();
            } else if (event === 'holder') setHolder(data.holder);
            else setProblem(data.reason);
          }
        } catch (error) {
          fail(error as Error);
        }
      }
    })().catch(fail);
    return () => stop.abort();
  }, [source, id, agent]);

  const leaf = page?.leaf ?? null;
  const model = useMemo(() => (rows.length === 0 ? NOTHING : sessionModel(rows, leaf)), [rows, leaf]);
  return { page, model, agents, tail, holder, problem, progress };
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
