import * as z from 'zod/mini';
import { SCOPES } from '../ports/tokens.ts';

/** A session, as the server answers it. */
export const SessionId = z.uuid();
export const SessionParams = z.object({ id: SessionId });

export const Limit = z.coerce.number().check(z.int(), z.minimum(1), z.maximum(1000));

export const Session = z.object({
  id: z.string(),
  state: z.enum(['idle', 'queued', 'running', 'requires_action', 'stranded']),
  title: z.nullable(z.string()),
  tag: z.nullable(z.string()),
  archived: z.boolean(),
  workspace: z.object({ kind: z.string(), path: z.string() }),
  config: z.record(z.string(), z.unknown()),
  created_at: z.string(),
  changed_at: z.string(),
  /** Stream behind it to miss nothing. */
  newest_seq: z.number(),
  oldest_seq: z.number(),
});
export type Session = z.infer<typeof Session>;

export const Token = z.object({
  id: z.string(),
  name: z.string(),
  scopes: z.array(z.enum(SCOPES)),
  session_id: z.nullable(z.string()),
  expires_at: z.nullable(z.string()),
  created_at: z.string(),
});

export function timeText(ms: number): string {
  return new Date(ms).toISOString();
}
