import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Row } from '../../sessions/indexed/row.ts';
import { type SessionModel, stepAt } from '../tree/session-model.ts';
import { shownBytes, shownTime, shownTokens, shownUsd } from '../tree/shown-figures.ts';
import { turnOf } from '../tree/tree-lines.ts';
import { addressOf } from './page-address.ts';
import type { Agent, EntryItem, Of, Source } from './source.ts';
import { Diff, patchIn } from './tool-views.tsx';
import { isFields, textIn } from './values.ts';

export interface NodePanelProps {
  source: Source;
  of: Of;
  model: SessionModel;
  row: Row;
  agents: readonly Agent[];
  close: () => void;
  /** Null: nothing may be changed. */
  edit: ((row: Row) => void) | null;
}

const CHANGES: ReadonlySet<string> = new Set(['Edit', 'Write', 'MultiEdit', 'NotebookEdit']);

/** Everything about one node: figures, decisions, files that its turn has changed, and its entries as they are stored. */
export function NodePanel({ source, of, model, row, close, edit }: NodePanelProps): VNode {
  const related = relatedRows(row, model);
  const [items, setItems] = useState<ReadonlyMap<number, EntryItem>>(new Map());
  const key = related.map(({ n }) => n).join(',');
  useEffect(() => {
    let isGone = false;
    const wanted = related.map(({ n }) => n);
    source.entries(of, wanted).then(
      (found) => isGone || setItems(new Map(found.map((item) => [item.n ?? -1, item]))),
      () => {},
    );
    return () => {
      isGone = true;
    };
  }, [key]);
  const own = items.get(row.n);
  const files = related.flatMap((each) => {
    const item = items.get(each.n) ?? null;
    const hunks = patchIn(item);
    return hunks.length > 0 ? [{ n: each.n, file: textIn(item?.entry.toolUseResult, 'filePath') ?? '', hunks }] : [];
  });
  return (
    <aside class="panel" aria-label="details">
      <header>
        <h2>{row.kind}</h2>
        <button type="button" onClick={close} aria-label="close the details">
          ✕
        </button>
      </header>
      <dl>
        {factsOf(row, model, own).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <p class="actions">
        <a href={addressOf({ session: of.id, agent: of.agent ?? null, message: row.id })}>link</a>
        {edit && row.kind === 'prompt' && (
          <button type="button" onClick={() => edit(row)}>
            edit and resend
          </button>
        )}
        {edit && <NodeActions source={source} of={of} row={row} />}
      </p>
      {files.length > 0 && <h3>files that it changed</h3>}
      {files.map(({ n, file, hunks }) => (
        <Diff key={n} file={file} hunks={hunks} />
      ))}
      {row.kind === 'prompt' && files.length === 0 && items.size > 0 && (
        <p class="note">no file was changed by a tool in this turn</p>
      )}
      {related
        .filter(({ kind }) => kind === 'attachment' || kind === 'note')
        .map((each) => (
          <Stored key={each.n} title={each.parts[0]?.label ?? each.kind} item={items.get(each.n)} isOpen={false} />
        ))}
      <h3>as it is stored</h3>
      <Stored title={`entry ${row.n}`} item={own} isOpen={true} />
      {related
        .filter((each) => each !== row && each.kind === 'result' && row.kind === 'answer')
        .map((each) => (
          <Stored key={each.n} title="its result" item={items.get(each.n)} isOpen={false} />
        ))}
    </aside>
  );
}

/** The row, the results of its calls, what is attached to it, and for a prompt the results of its turn that changed files. */
function relatedRows(row: Row, model: SessionModel): Row[] {
  const found = new Set([row]);
  for (const { kind, call } of row.parts) {
    const result = kind === 'call' ? model.calls.get(call ?? '')?.result : undefined;
    if (result) found.add(result.row);
  }
  const parents = new Set([...found].map(({ n }) => n));
  for (const each of model.rows) {
    if (each.kind === 'attachment' && each.parent !== undefined && parents.has(each.parent)) found.add(each);
  }
  const step = stepAt(model.rows, model.steps, row.n);
  if (row.kind === 'prompt' && step) {
    for (const { rows } of turnOf(step))
      for (const each of rows)
        for (const { call } of each.parts) {
          const known = model.calls.get(call ?? '');
          if (known?.result && CHANGES.has(known.part.tool ?? '')) found.add(known.result.row);
        }
  }
  return [...found].slice(0, 150);
}

function factsOf(row: Row, model: SessionModel, item: EntryItem | undefined): [string, string][] {
  const entry = item?.entry;
  const step = row.step === undefined ? undefined : model.steps.get(row.step);
  const last = step?.rows.findLast(({ tokens }) => tokens);
  const call = row.parts.map((part) => model.calls.get(part.call ?? '')).find((each) => each !== undefined);
  const permission = isFields(entry?.permission) ? entry.permission : undefined;
  const facts: [string, string | undefined][] = [
    ['time', row.at === undefined ? undefined : new Date(row.at).toLocaleString()],
    ['took', call?.ms === null || call?.ms === undefined ? undefined : shownTime(call.ms)],
    ['model', row.model],
    [
      'tokens',
      last?.tokens
        ? `${shownTokens(last.tokens.input)} in, ${last.tokens.output === null ? '?' : shownTokens(last.tokens.output)} out`
        : undefined,
    ],
    ['cost of the turn', last?.usd === undefined ? undefined : shownUsd(last.usd)],
    ['request', textIn(entry, 'requestId')],
    ['permission mode', textIn(entry, 'permissionMode')],
    ['decision', permission === undefined ? undefined : JSON.stringify(permission)],
    ['directory', textIn(entry, 'cwd')],
    ['git branch', textIn(entry, 'gitBranch')],
    ['version', textIn(entry, 'version')],
    ['size', row.size === undefined ? undefined : shownBytes(row.size)],
    ['id', row.id],
    ['copy of', row.copyOf],
  ];
  return facts.filter((fact): fact is [string, string] => fact[1] !== undefined && fact[1] !== '');
}

function Stored({
  title,
  item,
  isOpen,
}: {
  title: string;
  item: EntryItem | undefined;
  isOpen: boolean;
}): VNode | null {
  if (!item) return null;
  return (
    <details class="stored" open={isOpen}>
      <summary>{title}</summary>
      <pre tabIndex={0} aria-label="JSON">
        {JSON.stringify(item.entry, null, 2)}
      </pre>
    </details>
  );
}

/** What can be done from a node: continue from it, or copy the branch up to it. */
function NodeActions({ source, of, row }: { source: Source; of: Of; row: Row }): VNode {
  const [note, setNote] = useState('');
  const act = async (work: () => Promise<string>) => {
    try {
      setNote(await work());
    } catch (error) {
      setNote((error as Error).message);
    }
  };
  const base = `/v1/home/sessions/${of.id}`;
  const switchHere = async () => {
    await source.send('POST', `${base}/switch`, { leaf: row.id });
    return 'the conversation continues here';
  };
  return (
    <>
      <button type="button" onClick={() => act(switchHere)}>
        switch here
      </button>
      <button
        type="button"
        onClick={() =>
          act(async () => {
            const { id } = await source.send('POST', `${base}/fork`, { at: row.id });
            location.hash = `#/s/${id}`;
            return 'forked';
          })
        }
      >
        fork here
      </button>
      {row.kind === 'prompt' && row.hasCheckpoint && <RewindButton source={source} base={base} row={row} />}
      {note !== '' && (
        <span role="status" class="note">
          {note}
        </span>
      )}
    </>
  );
}

interface Plan {
  files: { path: string; becomes: string }[];
  insertions: number;
  deletions: number;
  problems: { path?: string; reason?: string }[];
  changedSince: string[];
  isDone: boolean;
}

/** Bringing files back: what would change is shown before. */
export function RewindButton({ source, base, row }: { source: Source; base: string; row: Row }): VNode {
  const [plan, setPlan] = useState<Plan | null>(null);
  const [note, setNote] = useState('');
  const ask = async (isDry: boolean, force = false) => {
    try {
      const found = (await source.send('POST', `${base}/rewind`, {
        message: row.id,
        dry_run: isDry,
        force,
      })) as unknown as Plan;
      setPlan(found);
      setNote(found.isDone ? 'the files are back' : '');
    } catch (error) {
      setNote((error as Error).message);
    }
  };
  return (
    <>
      <button type="button" onClick={() => ask(true)}>
        bring files back …
      </button>
      {note !== '' && (
        <p role="status" class="note">
          {note}
        </p>
      )}
      {plan && !plan.isDone && (
        <div class="plan">
          <p>
            {plan.files.length === 0 ? 'No file would change.' : `+${plan.insertions} −${plan.deletions} lines in:`}
          </p>
          <ul>
            {plan.files.map(({ path, becomes }) => (
              <li key={path}>
                {path} ({becomes})
              </li>
            ))}
          </ul>
          {plan.changedSince.length > 0 && (
            <p class="problem">changed by others since: {plan.changedSince.join(', ')}</p>
          )}
          {plan.files.length > 0 && (
            <button type="button" onClick={() => ask(false, plan.changedSince.length > 0)}>
              bring them back{plan.changedSince.length > 0 ? ' nevertheless' : ''}
            </button>
          )}
        </div>
      )}
    </>
  );
}
