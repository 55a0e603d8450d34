import type { JsonObject } from '../../util/json.ts';
import type { RunConfig } from '../../wire/run-config.ts';
import type { Holding } from './holding.ts';

export type SessionState = 'idle' | 'queued' | 'running' | 'requires_action' | 'stranded';

/** Where the tools of a session act. */
export interface SessionWorkspace {
  kind: 'directory';
  /** An absolute real path. */
  path: string;
}

/** What the server knows of a session besides its lines. */
export interface SessionRecord {
  id: string;
  /** Whose it is. The embedded server has one tenant, `local`. */
  tenant: string;
  workspace: SessionWorkspace;
  /** What the launch filter has let through. */
  config: RunConfig;
  title: string | null;
  tag: string | null;
  isArchived: boolean;
  /** Milliseconds since the epoch. */
  createdAt: number;
  changedAt: number;
  /** The `initialize` request of the host that drives it; sent again whenever a run opens the session. Null: none. */
  initialize: JsonObject | null;
}

export interface SessionPage {
  records: SessionRecord[];
  /** For the next page; null: this was the last one. */
  cursor: string | null;
}

export interface SessionFilter {
  tenant: string;
  isArchived?: boolean;
  tag?: string;
  /** A part of the title or the beginning of the id. */
  query?: string;
  limit: number;
  cursor?: string;
}

/** The sessions of the server. A tenant cannot tell a session of another one from none. */
export interface SessionRecords {
  /** Rejects with `session_exists`. */
  create(record: SessionRecord): Promise<void>;
  get(tenant: string, id: string): Promise<SessionRecord | null>;
  /** For runs, which know only the id. */
  find(id: string): Promise<SessionRecord | null>;
  /** Newest first. */
  list(filter: SessionFilter): Promise<SessionPage>;
  /** Resolves with the changed record; null: there is none. */
  change(
    id: string,
    fields: Partial<Pick<SessionRecord, 'title' | 'tag' | 'isArchived' | 'config' | 'initialize'>>,
  ): Promise<SessionRecord | null>;
  remove(id: string): Promise<void>;
  /** What a run says about its session. Rejects with `session_taken`. */
  report(holding: Holding, state: SessionState): Promise<void>;
  state(id: string): Promise<SessionState>;
}
