import type { Questions } from './asked-questions.ts';
import type { Courier } from './courier.ts';
import type { EventLog } from './event-log.ts';
import type { Inbox } from './inbox.ts';
import type { SessionRecords } from './session-records.ts';
import type { Tokens } from './tokens.ts';
import type { TurnEngine } from './turn-engine.ts';
import type { Turns } from './turns.ts';

/** Everything that a server keeps. The embedded server has it in files of its home, the one of many machines in Postgres. */
export interface ServerStore {
  readonly engine: TurnEngine;
  readonly sessions: SessionRecords;
  readonly inbox: Inbox;
  readonly events: EventLog;
  readonly turns: Turns;
  readonly questions: Questions;
  readonly courier: Courier;
  readonly tokens: Tokens;
  /** Why requests cannot be served now, as a sentence; null: they can. For /readyz. */
  problem(): Promise<string | null>;
  /** Ends the run of a session, and removes everything of it but its transcript. */
  forget(sessionId: string): Promise<void>;
  /** Closes files and connections. Drain the engine first. */
  close(): Promise<void>;
}
