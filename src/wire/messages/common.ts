import type { UUID } from 'node:crypto';
import * as z from 'zod/mini';
import { open, type Schema, word } from '../schema.ts';

/** Accepts any text. The type is the UUID of Node, because types of other packages require it. */
export const uuid = z.string() as unknown as Schema<UUID>;

/** Every public message carries its own uuid and the id of its session. */
export const identity = {
  /** The id of this message. A host can continue a conversation from a prompt or an answer by this id. */
  uuid: z.string(),
  /** The id of the session. `resume` continues it. */
  session_id: z.string(),
  /** Heddle's own: the number of the line, where several hosts can share the session. `attach` begins again behind it. */
  seq: z.optional(z.number()),
};

/** The subagent that a message comes from; absent on the main thread. */
export const origin = {
  /** The subagent that this comes from; absent on the main thread. */
  agent_id: z.optional(z.string()),
  subagent_type: z.optional(z.string()),
  task_description: z.optional(z.string()),
};

const text = z.optional(z.string());

/** The sender of a message, where it is not the person at the host. */
export type MessageOrigin =
  | { kind: 'human' | 'coordinator' | 'unclassified' | 'auto-continuation' | 'observer-activity' }
  | { kind: 'channel'; server: string }
  | {
      kind: 'peer';
      /** The name of the sender. */
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
      /** The run of the task that the notification is about. */
      runId?: string;
    }
  | { kind: 'observer'; from: string; senderTaskId: string };

/** Hosts may send any of these fields, so Heddle only checks the kind; each field belongs to one kind. */
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
  /** For a peer or an observer: its name. */
  from: text,
  senderTaskId: text,
  /** For a channel. */
  server: text,
  /** For a notification: the run of the task that it is about. */
  runId: text,
}));
export const MessageOrigin = OriginFields as unknown as Schema<MessageOrigin>;

/** A line of type `system`: the runtime reports about itself. */
export function system<const Subtype extends string, Shape extends z.core.$ZodLooseShape>(
  subtype: Subtype,
  shape: () => Shape,
) {
  return open(() => ({ type: z.literal('system'), subtype: z.literal(subtype), ...shape(), ...identity }));
}
