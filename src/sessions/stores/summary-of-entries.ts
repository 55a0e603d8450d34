import { stringField } from '../../util/json.ts';
import type { Entry } from '../../wire/entries.ts';
import { instantOf } from '../entry-fields.ts';
import { asPrompt, promptLine } from '../prompt-line.ts';
import type { SessionKey, SessionSummaryEntry } from '../store.ts';

/**
 * Updates the summary of a session with entries that are appended to it, so that a store can list its sessions
 * (`listSessionSummaries`) without reading them. Stores call it in `append`, for keys without an `agentId`;
 * `previous` is its last result for the session, undefined for the first entries. The store keeps `data` unchanged.
 *
 * `mtime` is when the store has written them, by the clock of its `list`; absent, it stays unchanged. Pure: a store
 * whose appends may overlap must itself make sure that none of them is lost.
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
  const details: SummaryDetails = { ...previous?.data };
  for (const entry of entries) addEntry(details, entry);
  return {
    sessionId: key.sessionId,
    mtime: options.mtime ?? previous?.mtime ?? 0,
    data: Object.fromEntries(Object.entries(details).filter(([, value]) => value !== undefined)),
  };
}

/** The content of `data`. For the upper fields the first known value stays, for the lower ones the last counts. */
interface SummaryDetails {
  createdAt?: number | undefined;
  cwd?: string | undefined;
  firstPrompt?: string | undefined;
  /** Empty: the title was removed. */
  customTitle?: string | undefined;
  tag?: string | undefined;
  lastPrompt?: string | undefined;
  gitBranch?: string | undefined;
}

function addEntry(details: SummaryDetails, entry: Entry): void {
  details.createdAt ??= instantOf(entry) || undefined;
  details.cwd ??= stringField(entry, 'cwd');
  if (entry.type === 'custom-title') details.customTitle = stringField(entry, 'customTitle') ?? details.customTitle;
  if (entry.type === 'tag') details.tag = stringField(entry, 'tag') ?? details.tag;
  details.gitBranch = stringField(entry, 'gitBranch') ?? details.gitBranch;
  const prompt = promptLine(entry);
  details.firstPrompt ??= prompt;
  details.lastPrompt = prompt ?? selectedPrompt(entry) ?? details.lastPrompt;
}

/** The last prompt of the branch that the session was switched to. */
function selectedPrompt(entry: Entry): string | undefined {
  if (entry.type !== 'last-prompt') return undefined;
  return promptLine(asPrompt(stringField(entry, 'lastPrompt') ?? ''));
}
