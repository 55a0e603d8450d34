import { ControlError } from '../../wire/errors.ts';
import type { ControlBody } from '../../wire/link/peer.ts';
import type { StoredTree } from '../conversation/stored-tree.ts';
import type { Session } from '../session/session.ts';
import type { SessionServices } from '../thread/services.ts';
import type { MainThread } from '../thread/thread.ts';
import type { FileIndex } from './file-index.ts';

/** What a control request acts on. */
export interface ControlContext {
  readonly session: Session;
  readonly main: MainThread;
  readonly services: SessionServices;
  /** The list of files for suggestions; null until a host asks for some. */
  readonly files: { index: FileIndex | null };
  /** The tree of the stored session; null until a host asks for it. */
  readonly stored: { tree: StoredTree | null };
}

/** Answers one kind of request. `signal` aborts when the host withdraws the request: its answer is not sent then. */
export type ControlHandler = (context: ControlContext, request: ControlBody, signal: AbortSignal) => unknown;

/** A control request whose field is missing or of the wrong kind. */
export function invalidRequest(field: string, expected: string): ControlError {
  return new ControlError(`request.${field} must be ${expected}`, 'invalid_request');
}
