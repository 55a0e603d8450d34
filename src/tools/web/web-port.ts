import type { AskModel } from '../model-question.ts';
import { definePort } from '../port.ts';

/** The hosts that tools may contact, and the model that reads pages and searches the web. */
export interface WebPort {
  /** True when a rule of the user allows fetching from exactly this host, in the form of `hostNameOf`. */
  isHostAllowed(host: string): boolean;
  readonly ask: AskModel;
}

export const webPort = definePort<WebPort>('web');
