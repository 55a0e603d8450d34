import type { Lazy } from '../engine/lazy.ts';
import type { ExpansionDependencies } from '../extensions/expand-command.ts';
import type { TurnScope } from '../extensions/turn-scope.ts';
import type { SessionHooks } from '../hooks/session-hooks.ts';
import type { SessionServices } from './services.ts';

/** The dependencies of commands and skills that run in a thread. */
export function expansionIn({ services, scope, hooks }: ExpandingThread): ExpansionDependencies {
  const { id: sessionId, runtime, configuration, models, warnOnce } = services;
  return { sessionId, runtime, configuration, models, warnOnce, scope, hooks };
}

/** The parts of a thread that exist before its tools are made. */
interface ExpandingThread {
  services: SessionServices;
  scope: TurnScope;
  hooks: Lazy<SessionHooks>;
}
