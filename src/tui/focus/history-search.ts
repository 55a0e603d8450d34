import { type EarlierPrompt, type FocusWorld, type HistorySearch, SCOPES, type Scope } from './focus-state.ts';

/** The prompts of the scope that contain the words of the query, the newest first and each text once. */
export function searchHistory(
  { query, scope }: Pick<HistorySearch, 'query' | 'scope'>,
  { history, project, sessionId }: Pick<FocusWorld, 'history' | 'project' | 'sessionId'>,
): EarlierPrompt[] {
  // A capital letter counts, as in the file search.
  const isExact = query !== query.toLowerCase();
  const words = query.split(/\s+/).filter(Boolean);
  const seen = new Set<string>();
  const found: EarlierPrompt[] = [];
  for (let at = history.length - 1; at >= 0 && found.length < MAX_FOUND; at--) {
    const prompt = history[at];
    if (!prompt || seen.has(prompt.text) || !isInScope(prompt, scope, { project, sessionId })) continue;
    const text = isExact ? prompt.text : prompt.text.toLowerCase();
    if (!words.every((word) => text.includes(word))) continue;
    seen.add(prompt.text);
    found.push(prompt);
  }
  return found;
}

/** More than anyone walks through. */
const MAX_FOUND = 200;

function isInScope(prompt: EarlierPrompt, scope: Scope, where: { project: string; sessionId: string }): boolean {
  if (scope === 'all') return true;
  return scope === 'project' ? prompt.project === where.project : prompt.sessionId === where.sessionId;
}

export function nextScope(scope: Scope): Scope {
  return SCOPES[(SCOPES.indexOf(scope) + 1) % SCOPES.length] ?? 'all';
}

/** The prompts that Up walks through: those of the project, each text once in a row. */
export function walkable({ history, project }: Pick<FocusWorld, 'history' | 'project'>): EarlierPrompt[] {
  const own = history.filter((prompt) => prompt.project === project);
  return own.filter((prompt, at) => prompt.text !== own[at + 1]?.text);
}
