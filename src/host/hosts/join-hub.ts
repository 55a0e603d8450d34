import { isObject, type JsonObject } from '../../util/json.ts';
import { ControlError } from '../../wire/errors.ts';
import type { SessionHost } from '../../wire/messages/heddle.ts';
import { HEDDLE_VERSION } from '../../wire/version.ts';
import type { AttachedHost, HostRole } from './attached-host.ts';

/** What a host asks for when it attaches. */
export interface Joining {
  role: HostRole;
  name: string;
  /** The first line to send again; null: lines begin now. */
  fromSeq: number | null;
  /** The proof that the session has let it in. */
  pass: string | null;
}

/** Throws a ControlError when the request is not a well-formed `attach`. */
export function joiningOf(request: unknown): Joining {
  if (!isObject(request) || request.subtype !== 'attach') {
    throw new ControlError('Attach to the session first', 'not_attached');
  }
  const { role = 'drive', from_seq: fromSeq = null, name = '', pass = null } = request;
  if (role !== 'drive' && role !== 'watch') throw invalid('role', '"drive" or "watch"');
  if (fromSeq !== null && !(Number.isSafeInteger(fromSeq) && Number(fromSeq) >= 0))
    throw invalid('from_seq', 'a number');
  if (typeof name !== 'string') throw invalid('name', 'a text');
  if (pass !== null && typeof pass !== 'string') throw invalid('pass', 'a text');
  return { role, name: name.slice(0, MAX_NAME), fromSeq: fromSeq === null ? null : Number(fromSeq), pass };
}

/** A name is shown to others. */
const MAX_NAME = 100;

/** Everybody is let in as they ask. */
export function admitted(joining: Joining): Joining {
  return joining;
}

export function attachResult(
  { role, fromSeq }: Joining,
  state: {
    host: AttachedHost;
    lines: { newest: number; oldest: number };
    hosts: readonly SessionHost[];
    sessionId: string;
  },
): JsonObject {
  const { host, lines, hosts, sessionId } = state;
  return {
    ...{ host_id: host.details.id, role, session_id: sessionId, seq: lines.newest, oldest_seq: lines.oldest },
    ...(fromSeq !== null && fromSeq < lines.oldest && { has_gap: true }),
    hosts: [...hosts],
    heddle_version: HEDDLE_VERSION,
  };
}

function invalid(field: string, expected: string): ControlError {
  return new ControlError(`request.${field} must be ${expected}`, 'invalid_request');
}
