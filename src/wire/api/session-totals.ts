import * as z from 'zod/mini';
import { open } from '../schema.ts';
import { ModelUsage } from './usage.ts';

/** The usage of a session since it began, as far as its file records it. */
export const SessionTotals = open(() => ({
  total_cost_usd: z.number(),
  total_api_duration_ms: z.number(),
  total_duration_ms: z.number(),
  /** Lines added by tools that edit files, since this process began. */
  total_lines_added: z.number(),
  total_lines_removed: z.number(),
  model_usage: z.record(z.string(), ModelUsage),
}));
