import type { Env } from '../../host/engine/environment.ts';
import type { Runtime } from '../../util/runtime.ts';
import type { Route } from '../http/route.ts';
import type { Tokens } from '../ports/tokens.ts';
import { changeRoutes } from './change-routes.ts';
import { HomeSessions } from './home-sessions.ts';
import { liveRoutes } from './live-routes.ts';
import { pageCodeRoutes } from './page-codes.ts';
import { readRoutes } from './read-routes.ts';

export interface HomeRoutesOptions {
  /** The config home. */
  home: string;
  env: Env;
  runtime: Pick<Runtime, 'clock' | 'ids' | 'log'>;
  tokens: Tokens;
  /** There is no route that changes a session. */
  isReadOnly: boolean;
  /** Lets go of a session that this server has open, so that it can be changed. */
  release?: (sessionId: string) => Promise<void>;
}

/** Rows for the table of routes: the stored sessions of a home, for its owner, and the codes that open a page. */
export function homeRoutes({ home, env, runtime, tokens, isReadOnly, release }: HomeRoutesOptions): Route[] {
  const { clock, ids, log } = runtime;
  const now = () => clock.now();
  const sessions = new HomeSessions(home, now);
  return [
    ...pageCodeRoutes({ tokens, now, isReadOnly }),
    ...readRoutes({ sessions, env, log }),
    ...liveRoutes({ sessions, now }),
    ...(isReadOnly ? [] : changeRoutes({ sessions, env, log, ids, now, release })),
  ];
}
