import type { JsonObject } from '../../util/json.ts';
import type { Holding, Unsubscribe } from './holding.ts';

export type QuestionState = 'open' | 'answered' | 'withdrawn' | 'expired';

/** A request of a session that a person may answer: a permission, an elicitation, a dialog. */
export interface Question {
  id: string;
  sessionId: string;
  /** The call that it is about; null: none. A call that is asked again after a restart finds its question by it. */
  toolUseId: string | null;
  /** The body of the control request. */
  request: JsonObject;
  state: QuestionState;
  /** Milliseconds since the epoch. */
  openedAt: number;
  /** The body of the control response; null: there is none. */
  answer: JsonObject | null;
  /** Who answered: the name of a token, or of a host. */
  by: string | null;
  closedAt: number | null;
}

/** The questions of sessions. They outlive the run that asked, the server, and the clients. */
export interface Questions {
  /**
   * A run asks. When the same call was asked before and its question is open, or answered without a run to hear it, that
   * question is returned. Rejects with `session_taken`.
   */
  ask(holding: Holding, question: { toolUseId: string | null; request: JsonObject }): Promise<Question>;
  /**
   * The first answer counts. Rejects with `unknown_question`, `already_answered` (facts: `by`, `at`), or
   * `question_withdrawn`.
   */
  answer(id: string, answer: JsonObject, by: string): Promise<Question>;
  /** The run needs no answer any more. Without effect when the question is closed. Rejects with `session_taken`. */
  withdraw(holding: Holding, id: string): Promise<void>;
  /** A run has used the answer: the same call asks again the next time. */
  used(holding: Holding, id: string): Promise<void>;
  get(id: string): Promise<Question | null>;
  /** The oldest first. */
  list(filter: { sessionId?: string; state?: QuestionState }): Promise<Question[]>;
  /** Called after a question of the session was opened or closed, by any process. */
  onChange(sessionId: string, listener: (question: Question) => void): Unsubscribe;
}
