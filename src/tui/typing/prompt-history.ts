import { messageOf } from '../../util/message-of.ts';
import { appendHistory, readHistory } from '../drafts/history-file.ts';
import type { Draft } from '../editor/editor.ts';
import type { EarlierPrompt } from '../focus/focus-state.ts';
import type { Stage } from '../stage/stage.ts';
import type { TypingContext } from './typing-context.ts';

/** More than anyone searches; older prompts of this run are in the file. */
const MAX_PROMPTS = 20_000;

/** The prompts of earlier terminals and of this one. What is typed is on disk before it is on the wire. */
export class PromptHistory {
  readonly #place: TypingContext;
  readonly #stage: Pick<Stage, 'notify' | 'now'>;
  #prompts: EarlierPrompt[] = [];
  #hasFailed = false;
  #isStored: boolean;

  constructor(place: TypingContext, stage: Pick<Stage, 'notify' | 'now'>) {
    this.#place = place;
    this.#isStored = place.isKept && place.home !== null;
    this.#stage = stage;
  }

  /** Oldest first. */
  get prompts(): readonly EarlierPrompt[] {
    return this.#prompts;
  }

  /** Reads what earlier terminals have left; prompts of this one stay behind them. */
  async load(): Promise<void> {
    const { home } = this.#place;
    if (home === null || !this.#isStored) return;
    const earlier = await readHistory(home);
    this.#prompts = [...earlier, ...this.#prompts].slice(-MAX_PROMPTS);
  }

  /** From now on, prompts are only known here. */
  stop(): void {
    this.#isStored = false;
  }

  add(draft: Draft, sessionId: string): void {
    const { home, cwd } = this.#place;
    this.#prompts.push({ ...draft, project: cwd, sessionId });
    if (home === null || !this.#isStored) return;
    try {
      appendHistory(draft, { home, project: cwd, sessionId, now: this.#stage.now() });
    } catch (error) {
      if (!this.#hasFailed) this.#stage.notify(`History cannot be written: ${messageOf(error)}`);
      this.#hasFailed = true;
    }
  }
}
