import { randomUUID } from 'node:crypto';
import type { JsonObject } from '../../util/json.ts';
import { HeddleError } from '../../wire/errors.ts';
import type { Question, Questions } from '../ports/asked-questions.ts';
import { compacted } from './compact.ts';
import type { Epochs } from './epochs.ts';
import { Journal } from './journal.ts';

/** How long closed questions are kept. */
const KEEP_MS = 30 * 24 * 3600_000;

/** A question, and whether a run has used its answer. */
interface Kept extends Question {
  isUsed: boolean;
}

/** The questions of all sessions, in one file that grows by a line for each change. */
export async function fileQuestions(
  path: string,
  { epochs, now, sync }: { epochs: Epochs; now: () => number; sync: boolean },
): Promise<Questions & { close(): Promise<void> }> {
  const all = new Map<string, Kept>();
  const listeners = new Map<string, Set<(question: Question) => void>>();
  const journal = new Journal(path, { sync });
  for (const row of await journal.rows()) {
    const question = row as unknown as Kept; // written by `change` below
    if (typeof question.id === 'string') all.set(question.id, question);
  }
  for (const { id, state, closedAt } of [...all.values()]) {
    if (state !== 'open' && (closedAt ?? 0) < now() - KEEP_MS) all.delete(id);
  }
  await compacted(journal, [...all.values()]);

  async function store(question: Kept): Promise<void> {
    await journal.append([question as unknown as JsonObject]);
    all.set(question.id, question);
  }

  async function change(question: Kept): Promise<Question> {
    await store(question);
    const shown = without(question);
    for (const listener of listeners.get(question.sessionId) ?? []) listener(shown);
    return shown;
  }

  return {
    async ask(holding, { toolUseId, request }) {
      epochs.check(holding);
      const { sessionId } = holding;
      const same = [...all.values()].find((each) => each.sessionId === sessionId && isAsked(each, toolUseId));
      if (same) return without(same);
      return change({
        ...{ id: randomUUID(), sessionId, toolUseId, request, state: 'open', openedAt: now(), isUsed: false },
        ...{ answer: null, by: null, closedAt: null },
      });
    },
    async answer(id, answer, by) {
      const question = all.get(id);
      if (!question) throw unknownQuestion(id);
      if (question.state === 'answered') throw alreadyAnswered(question);
      if (question.state !== 'open') throw withdrawn(question);
      const answered: Kept = { ...question, state: 'answered', answer, by, closedAt: now() };
      all.set(id, answered); // at once: the second answer must not count
      try {
        return await change(answered);
      } catch (error) {
        all.set(id, question);
        throw error;
      }
    },
    async withdraw(holding, id) {
      epochs.check(holding);
      const question = all.get(id);
      if (question?.state === 'open') await change({ ...question, state: 'withdrawn', closedAt: now() });
    },
    async used(holding, id) {
      epochs.check(holding);
      const question = all.get(id);
      if (question && !question.isUsed) await store({ ...question, isUsed: true });
    },
    get: async (id) => {
      const question = all.get(id);
      return question ? without(question) : null;
    },
    list: async ({ sessionId, state }) =>
      [...all.values()]
        .filter((each) => (sessionId === undefined || each.sessionId === sessionId) && (!state || each.state === state))
        .map(without),
    onChange(sessionId, listener) {
      const own = listeners.get(sessionId) ?? new Set();
      listeners.set(sessionId, own.add(listener));
      return () => {
        own.delete(listener);
        if (own.size === 0 && listeners.get(sessionId) === own) listeners.delete(sessionId);
      };
    },
    close: () => journal.close(),
  };
}

/** Whether the question about this call still counts. */
function isAsked({ toolUseId, state, isUsed }: Kept, wanted: string | null): boolean {
  return wanted !== null && toolUseId === wanted && (state === 'open' || (state === 'answered' && !isUsed));
}

function without({ isUsed: _, ...question }: Kept): Question {
  return question;
}

function unknownQuestion(id: string): HeddleError {
  return new HeddleError('unknown_question', `There is no question ${id}: GET /v1/questions lists those that wait`, {
    facts: { id },
  });
}

function alreadyAnswered({ id, by, closedAt }: Question): HeddleError {
  const at = new Date(closedAt ?? 0).toISOString();
  return new HeddleError('already_answered', `The question was answered by ${by} at ${at}: the first answer counts`, {
    facts: { id, by, at },
  });
}

function withdrawn({ id, state }: Question): HeddleError {
  return new HeddleError('question_withdrawn', `The question is ${state}: nobody waits for an answer any more`, {
    facts: { id, state },
  });
}
