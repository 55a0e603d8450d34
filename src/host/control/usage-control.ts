import { toolStats } from '../../agent/calls/tool-stats.ts';
import type { ContextUsage, SessionUsage } from '../../wire/control/index.ts';
import type { ControlBody } from '../../wire/link/peer.ts';
import { contextUsage } from '../commands/context-usage.ts';
import { costReport } from '../commands/local-commands.ts';
import type { SessionServices } from '../thread/services.ts';
import type { ControlContext } from './control-handler.ts';

/** The control requests about what a session uses. None of them calls a model. */

export function getContextUsage({ main }: ControlContext, { detail }: ControlBody): Promise<ContextUsage> {
  return contextUsage(main, { isSummary: detail === 'summary' });
}

/** `get_session_cost`: the text that `/cost` shows. */
export function getSessionCost({ main, services }: ControlContext): { text: string } {
  return { text: costReport({ ledger: main.budget.ledger, elapsedMs: elapsedMs(services) }) };
}

/** `get_usage`: the same in numbers. There is no subscription, so that its limits stay empty. */
export function getUsage({ main, services }: ControlContext): SessionUsage {
  const { ledger } = main.budget;
  const { costUsd, apiMs, modelUsage } = ledger;
  const { linesAdded, linesRemoved } = toolStats(ledger);
  return {
    session: {
      total_cost_usd: costUsd,
      total_api_duration_ms: apiMs,
      total_duration_ms: elapsedMs(services),
      total_lines_added: linesAdded,
      total_lines_removed: linesRemoved,
      model_usage: modelUsage,
    },
    subscription_type: null,
    rate_limits_available: false,
    rate_limits: null,
    behaviors: null,
  };
}

function elapsedMs({ runtime, openedAt }: SessionServices): number {
  return runtime.clock.now() - openedAt;
}
