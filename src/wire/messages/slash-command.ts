import * as z from 'zod/mini';
import { open } from '../schema.ts';

/** A slash command that the user can send. */
export const SlashCommand = open(() => ({
  name: z.string(),
  description: z.string(),
  argumentHint: z.string(),
  /** Other names of the command. */
  aliases: z.optional(z.array(z.string())),
  /** True for a command of Heddle, false for one of a file or a server. */
  builtin: z.optional(z.boolean()),
}));
export type SlashCommand = z.infer<typeof SlashCommand>;
