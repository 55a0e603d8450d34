import type { Turn } from '../../agent/turn.ts';
import type { Rule } from '../../permissions/rules.ts';
import type { SelectedModel } from '../engine/engine-models.ts';

/** What the command or skills in use add to the running turn. */
export class TurnScope {
  /** Rules that allow calls until the turn is over. */
  grants: Rule[] = [];
  /** The model of the turn; null: the model of the thread. */
  model: SelectedModel | null = null;
  /** The running turn; null before it has begun. */
  turn: Turn | null = null;

  /** Begins another turn: removes everything of the last one. */
  begin(): void {
    this.grants = [];
    this.model = null;
    this.turn = null;
  }
}
