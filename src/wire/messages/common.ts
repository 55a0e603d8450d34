import type { UUID } from 'node:crypto';
import * as z from 'zod/mini';
import { open, type Schema, word } from '../schema.ts';

/** Read as any text; typed as what agents make, because types of other packages ask for that. */
export const uuid = z.string() as unknown as Schema<UUID>;

/** Every public message carries its own uuid and the id of its session [FLD-01]. */
export const identity = {
  /** Of this message. A prompt or an answer can be continued from by it. */
  uuid: z.string(),
  /** `resume` goes on with this session. */
  session_id: z.string(),
};

/** Which subagent a message comes from; absent on the main thread. */
export const origin = {
  /** The subagent that this comes from; absent on the main thread. */
  agent_id: z.optional(z.string()),
  subagent_type: z.optional(z.string()),
  task_description: z.optional(z.string()),
};

const text = z.optional(z.string());

/** Who a message comes from, where that is not the person at the host. */
export type MessageOrigin =
  | { kind: 'human' | 'coordinator' | 'unclassified' | 'auto-continuation' | 'observer-activity' }
  | { kind: 'channel'; server: string }
  | {
      kind: 'peer';
      /** Its name. */
      from: string;
      fromMode?: 'bypass' | 'prompting';
      name?: string;
      fromSession?: string;
      senderTaskId?: string;
      body?: string;
      verifiedPeerPid?: number;
    }
  | {
      kind: 'task-notification';
      subkind?: 'scheduled-trigger' | 'peer-send-message' | 'projects-relay' | 'session-inbox';
      fireReason?: string;
      /** The run of the task that it tells of. */
      runId?: string;
    }
  | { kind: 'observer'; from: string; senderTaskId: string };

/** Hosts may send any of them, so that only the kind is looked at; the other fields belong to it. */
const OriginFields = open(() => ({
  kind: word([
    'human',
    'channel',
    'peer',
    'task-notification',
    'coordinator',
    'unclassified',
    'observer',
    'auto-continuation',
    'observer-activity',
  ]),
  /** Of a peer or an observer: its name. */
  from: text,
  senderTaskId: text,
  /** Of a channel. */
  server: text,
  /** Of a notification: the run of the task that it tells of. */
  runId: text,
}));
export const MessageOrigin = OriginFields as unknown as Schema<MessageOrigin>;

/** A line of type `system`: what the runtime says about itself. */
export function system<const Subtype extends string, Shape extends z.core.$ZodLooseShape>(
  subtype: Subtype,
  shape: () => Shape,
) {
  return open(() => ({ type: z.literal('system'), subtype: z.literal(subtype), ...shape(), ...identity }));
}
