import { stringField } from '../util/json.ts';
import type { Entry } from '../wire/entries.ts';
import { instantOf } from './entry-fields.ts';
import { asPrompt, promptLine } from './prompt-line.ts';
import type { SessionKey, SessionSummaryEntry } from './store.ts';

/**
 * Brings the summary of a session up to date with entries that are appended to it, so that a store can tell of its
 * sessions (`listSessionSummaries`) without reading them. Called by stores in `append`, for keys without an `agentId`;
 * `previous` is what it returned last for the session, undefined for the first entries. `data` is to be kept as it is.
 *
 * `mtime` is when the store has written them, by the clock of its `list`; left out, it stays what it was. Pure: a store
 * whose appends may overlap sees to it itself that none of them is lost.
 *
 * @example
 * const summaries = new Map<string, SessionSummaryEntry>();
 * const key = { project: '/srv/loom', sessionId: '5e551000-0000-4000-8000-000000000001' };
 * const entries = [{ type: 'user', message: { role: 'user', content: 'hello' } }];
 * summaries.set(key.sessionId, foldSessionSummary(summaries.get(key.sessionId), key, entries, { mtime: Date.now() }));
 */
export function foldSessionSummary(
  previous: SessionSummaryEntry | undefined,
  key: Pick<SessionKey, 'sessionId'>,
  entries: readonly Entry[],
  options: { mtime?: number } = {},
): SessionSummaryEntry {
  const facts: SummaryFacts = { ...previous?.data };
  for (const entry of entries) fold(facts, entry);
  return {
    sessionId: key.sessionId,
    mtime: options.mtime ?? previous?.mtime ?? 0,
    data: Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined)),
  };
}

/** What `data` holds. Of the upper ones the first that is known stays, of the lower ones the last counts. */
interface SummaryFacts {
  createdAt?: number | undefined;
  cwd?: string | undefined;
  firstPrompt?: string | undefined;
  /** Empty: it was taken away. */
  customTitle?: string | undefined;
  tag?: string | undefined;
  lastPrompt?: string | undefined;
  gitBranch?: string | undefined;
}

function fold(facts: SummaryFacts, entry: Entry): void {
  facts.createdAt ??= instantOf(entry) || undefined;
  facts.cwd ??= stringField(entry, 'cwd');
  if (entry.type === 'custom-title') facts.customTitle = stringField(entry, 'customTitle') ?? facts.customTitle;
  if (entry.type === 'tag') facts.tag = stringField(entry, 'tag') ?? facts.tag;
  facts.gitBranch = stringField(entry, 'gitBranch') ?? facts.gitBranch;
  const prompt = promptLine(entry);
  facts.firstPrompt ??= prompt;
  facts.lastPrompt = prompt ?? chosenPrompt(entry) ?? facts.lastPrompt;
}

/** The last prompt of the branch that the session was switched to. */
function chosenPrompt(entry: Entry): string | undefined {
  if (entry.type !== 'last-prompt') return undefined;
  return promptLine(asPrompt(stringField(entry, 'lastPrompt') ?? ''));
}
