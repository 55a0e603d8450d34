import { answerTo } from '../../host/hosts/hub-frames.ts';
import { isObject, type JsonObject, stringField } from '../../util/json.ts';
import type { Question, Questions } from '../ports/asked-questions.ts';
import type { Holding, Unsubscribe } from '../ports/holding.ts';

/**
 * The questions of one session on their way to those who may answer. A question is stored, so that it outlives the run; an
 * answer that an earlier run has not heard counts when the same call asks again.
 */
export class SessionQuestions {
  readonly #questions: Questions;
  readonly #reply: (line: JsonObject) => void;
  /** By the id of the question: the id of the request. */
  readonly #open = new Map<string, string>();
  #holding: Holding;
  readonly #stop: Unsubscribe;

  constructor(questions: Questions, holding: Holding, reply: (line: JsonObject) => void) {
    this.#questions = questions;
    this.#holding = holding;
    this.#reply = reply;
    this.#stop = questions.onChange(holding.sessionId, (question) => this.#changed(question));
  }

  get open(): number {
    return this.#open.size;
  }

  hold(holding: Holding): void {
    this.#holding = holding;
  }

  async ask(line: JsonObject): Promise<void> {
    const request = isObject(line.request) ? line.request : {};
    const requestId = stringField(line, 'request_id') ?? '';
    const toolUseId = stringField(request, 'tool_use_id') ?? null;
    const question = await this.#questions.ask(this.#holding, { toolUseId, request });
    this.#open.set(question.id, requestId);
    this.#changed(question);
  }

  /** The session does not need the answer any more. */
  async withdraw(requestId: string): Promise<void> {
    const [id] = [...this.#open].find(([, each]) => each === requestId) ?? [];
    if (id === undefined) return;
    this.#open.delete(id);
    await this.#questions.withdraw(this.#holding, id);
  }

  /** Withdraws what earlier runs have asked and nobody waits for. Call it when the session rests. */
  async withdrawLeft(): Promise<void> {
    const { sessionId } = this.#holding;
    const left = await this.#questions.list({ sessionId, state: 'open' });
    for (const { id } of left) if (!this.#open.has(id)) await this.#questions.withdraw(this.#holding, id);
  }

  close(): void {
    this.#stop();
  }

  #changed({ id, state, answer }: Question): void {
    const requestId = this.#open.get(id);
    if (requestId === undefined || state !== 'answered') return;
    this.#open.delete(id);
    this.#reply(answerTo(requestId, answer ?? {}));
    this.#questions.used(this.#holding, id).catch(() => {}); // the session is another run's: that one asks again
  }
}
