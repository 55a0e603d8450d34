import type { JsonObject } from '../../util/json.ts';
import type { Style } from '../rows/row.ts';
import type { Stage } from '../stage/stage.ts';

/** How the person wants questions to work: settings of the user, never of a project. */
export interface Habits {
  /** What Escape does: denies the call, or ends the turn as well. */
  escDeny: 'deny' | 'interrupt';
  /** Whether `y` and `n` answer. */
  letterAnswers: boolean;
}

/** What stays on the screen of a question. */
export interface Outcome {
  text: string;
  style?: Style;
}

/** What a dialog gets of its surroundings. */
export interface Asking {
  readonly stage: Stage;
  readonly habits: Habits;
  /** `1 of 3` where several questions are open; else empty. */
  readonly position: string;
  /** Of the program: its editor. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether the keys are the question's now. */
  readonly isFocused: boolean;
  /** Sends the answer. A second one does nothing. */
  answer(body: JsonObject, outcome: Outcome): void;
  /** Something of it has changed without a key. */
  changed(): void;
}
