import type { JsonObject } from '../util/json.ts';
import type { ControlRequestFrame } from '../wire/link/frames.ts';
import type { ExitInfo } from '../wire/link/transport.ts';
import type { UserInput } from '../wire/messages/user.ts';
import type { Block, Notice } from './blocks.ts';
import type { Meters, View } from './view.ts';

/**
 * What a renderer must do.
 * - `done`: the block never changes again. Only these blocks may be written for good, in the order in which they come.
 * - `live`: something else of the view has changed.
 * - `notice`: a text for a moment.
 * - `alert`: a person who looks elsewhere may want to know.
 */
export type Change =
  | { type: 'done'; block: Block }
  | { type: 'live' }
  | { type: 'notice'; notice: Notice }
  | { type: 'alert'; why: AlertReason };

/** What a session that is continued has used so far, where it is known. */
export type EarlierUse = Partial<Pick<Meters, 'contextTokens' | 'contextWindow' | 'costUsd'>>;

export type AlertReason = 'question' | 'turn' | 'task' | 'lost';

/**
 * Follows a session by its lines. It has no clock and no effects: the same calls give the same view and the same
 * changes. It takes any JSON object, and never throws. A call costs as much as its line is long.
 */
export interface ViewTracker {
  readonly view: View;
  /** Takes a line of the agent. Control lines may be among them. */
  note(line: JsonObject, now: number): Change[];
  /** Takes a prompt that the renderer sends, before any echo. */
  sent(message: UserInput, now: number): Change[];
  /** Takes a question of the agent, where control lines do not come through `note`. */
  asked(request: ControlRequestFrame, now: number): Change[];
  /** The question has been answered or withdrawn. With `now`, its call runs from then on. */
  answered(requestId: string, now?: number): Change[];
  /** Takes messages from before, and what they have used: for the todo list and the meters. They make no blocks. */
  earlier(messages: readonly JsonObject[], used?: EarlierUse): Change[];
  /** Takes the answer to `initialize`: the session is ready. */
  opened(answer: JsonObject): Change[];
  /** The agent is gone. What was live ends. */
  closed(exit: Pick<ExitInfo, 'code' | 'signal'>, now: number): Change[];
}
