import * as z from 'zod/mini';
import { SessionTotals } from '../api/session-totals.ts';
import { open, word } from '../schema.ts';

const tokens = z.number();
const text = z.optional(z.string());

export const ContextReportCategory = open(() => ({
  name: z.string(),
  tokens,
  kind: word(['used', 'free', 'buffer', 'deferred']),
}));
export type ContextReportCategory = z.infer<typeof ContextReportCategory>;

/** The contents of the context window, as `/context` reports them to programs. */
export const ContextReport = open(() => ({
  model: z.string(),
  total_tokens: tokens,
  raw_max_tokens: tokens,
  percentage: z.number(),
  over_limit: z.optional(open({ tokens_over: tokens, kind: word(['hard_limit', 'compaction_window']) })),
  categories: z.array(ContextReportCategory),
  mcp_tools: z.array(open({ name: z.string(), server_name: z.string(), tokens })),
  memory_files: z.array(open({ path: z.string(), type: z.string(), tokens })),
  agents: z.array(open({ agent_type: z.string(), source: z.string(), tokens })),
  skills: z.optional(z.array(open({ name: z.string(), source: z.string(), plugin_name: text, tokens }))),
}));
export type ContextReport = z.infer<typeof ContextReport>;

const named = open(() => ({ display_name: z.string() }));

/** The usage of a session, as the reference's `/usage` reports it to programs. */
export const UsageReport = open(() => ({
  session: SessionTotals,
  rate_limits: z.nullable(
    open({
      limits: z.nullable(
        z.array(
          open({
            kind: z.string(),
            group: z.string(),
            percent: z.number(),
            resets_at: z.nullable(z.string()),
            scope: z.optional(
              z.nullable(open({ model: z.optional(z.nullable(named)), surface: z.optional(z.nullable(named)) })),
            ),
            severity: z.string(),
            is_active: z.boolean(),
          }),
        ),
      ),
      extra_usage: z.optional(
        z.nullable(
          open({
            is_enabled: z.boolean(),
            monthly_limit: z.nullable(z.number()),
            used_credits: z.nullable(z.number()),
            utilization: z.nullable(z.number()),
            currency: z.optional(z.nullable(z.string())),
          }),
        ),
      ),
    }),
  ),
}));
export type UsageReport = z.infer<typeof UsageReport>;
