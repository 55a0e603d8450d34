import * as z from 'zod/mini';
import { open, word } from '../schema.ts';

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

/** Who a message comes from, where that is not the person at the host; the other fields belong to the kind. */
export const MessageOrigin = open(() => ({
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
export type MessageOrigin = z.infer<typeof MessageOrigin>;

/** A line of type `system`: what the runtime says about itself. */
export function system<const Subtype extends string, Shape extends z.core.$ZodLooseShape>(
  subtype: Subtype,
  shape: () => Shape,
) {
  return open(() => ({ type: z.literal('system'), subtype: z.literal(subtype), ...shape(), ...identity }));
}
