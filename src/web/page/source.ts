import type { SessionRows } from '../../sessions/indexed/row.ts';

/** A session, or one of its agents. */
export interface Of {
  id: string;
  agent?: string | undefined;
}

export type Way = (string | number)[];

/** An entry with what was cut from it. */
export interface EntryItem {
  n?: number;
  entry: Record<string, unknown>;
  cuts: { path: Way; chars: number }[];
}

export interface RowsPage extends SessionRows {
  life: number;
  version: number;
  total: number;
  title: string | null;
  tag: string | null;
  cwd: string | null;
  costUsd: number | null;
  progress?: { read: number; size: number };
}

export interface Holder {
  pid: number;
  host: string;
  state: string | null;
  here: boolean;
}

export interface Listed {
  id: string;
  title: string;
  first_prompt: string | null;
  tag: string | null;
  cwd: string | null;
  branch: string | null;
  changed_at: number;
  bytes: number;
  archived: boolean;
  holder: Holder | null;
}

export interface Agent {
  id: string;
  call: string | null;
  parent: string | null;
  kind: string | null;
  description: string | null;
  bytes: number;
}

export interface Hit {
  sessionId: string;
  agentId?: string;
  uuid?: string;
  role: string;
  before: string;
  match: string;
  after: string;
}

export type LiveEvent =
  | { event: 'rows'; data: RowsPage }
  | { event: 'holder'; data: { holder: Holder | null } }
  | { event: 'gone'; data: { reason: string } };

/** Where a page gets sessions from: a server, or the file that it is part of. */
export interface Source {
  kind: 'server' | 'file';
  /** Whether anything may be changed. */
  canChange: boolean;
  sessions(query: { q?: string; archived?: boolean; from?: number }): Promise<{ sessions: Listed[]; total: number }>;
  session(id: string): Promise<Listed>;
  figures(id: string): Promise<{ turns: number; costUsd: number | null } | null>;
  rows(of: Of, since: { version: number; life: number } | null): Promise<RowsPage>;
  tail(id: string): Promise<EntryItem[]>;
  entries(of: Of, rows: readonly number[]): Promise<EntryItem[]>;
  text(of: Of, row: number, path: Way): Promise<string>;
  /** The address of an image, for an `img`. */
  image(of: Of, row: number, path: Way): Promise<string>;
  agents(id: string): Promise<Agent[]>;
  search(query: string, id: string | null, isPattern: boolean): Promise<{ hits: Hit[]; isCut: boolean }>;
  follow(id: string, since: { version: number; life: number }, signal: AbortSignal): AsyncIterable<LiveEvent>;
  /** A stream of events; its reader ends it with the signal. */
  stream(path: string, signal: AbortSignal): Promise<Response>;
  /** Changes something; resolves with the answer. */
  send(method: 'POST' | 'DELETE' | 'GET' | 'PATCH', path: string, body?: unknown): Promise<Record<string, unknown>>;
}

/** An error with a sentence for the person who looks at the page. */
export class SourceError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(message: string, { status, code }: { status: number; code: string }) {
    super(message);
    this.status = status;
    this.code = code;
  }
}
