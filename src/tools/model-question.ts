import type { JsonObject } from '../util/json.ts';
import type { ContentBlock } from '../wire/api/content.ts';

/** A question to a model outside the conversation. */
export interface ModelQuestion {
  prompt: string;
  system?: string;
  /** `small`: quick and cheap, for reading. `main`: the session's own. */
  model: 'small' | 'main' | { named: string };
  maxOutputTokens?: number;
  /** Tools that the provider itself runs, as its API describes them. */
  serverTools?: readonly JsonObject[];
}

/** Calls a model outside the conversation. Booked like any call; rejects when the budget is used up. */
export type AskModel = (question: ModelQuestion, signal: AbortSignal) => Promise<readonly ContentBlock[]>;
