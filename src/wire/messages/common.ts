import * as z from 'zod/mini';
import { open } from '../schema.ts';

/** Every public message carries its own uuid and the id of its session [FLD-01]. */
export const identity = { uuid: z.string(), session_id: z.string() };

/** Which subagent a message comes from; absent on the main thread. */
export const origin = {
  agent_id: z.optional(z.string()),
  subagent_type: z.optional(z.string()),
  task_description: z.optional(z.string()),
};

/** A line of type `system`: what the runtime says about itself. */
export function system<const Subtype extends string, Shape extends z.core.$ZodLooseShape>(
  subtype: Subtype,
  shape: () => Shape,
) {
  return open(() => ({ type: z.literal('system'), subtype: z.literal(subtype), ...shape(), ...identity }));
}
