import { configHome } from '../../host/engine/environment.ts';
import { homeRoutes } from '../../server/home/home-routes.ts';
import type { Route } from '../../server/http/route.ts';
import type { Tokens } from '../../server/ports/tokens.ts';
import { messageOf } from '../../util/message-of.ts';
import type { Runtime } from '../../util/runtime.ts';
import { readPageFiles } from '../../web/page-files.ts';
import { pageRoutes } from '../../web/page-routes.ts';

export interface ExplorerOptions {
  /** Default: the config home of this process. */
  home?: string;
  runtime: Runtime;
  tokens: Tokens;
  isReadOnly: boolean;
  /** Called when the page is not there, and only programs are served. Without it, that is an error. */
  withoutPage?: (message: string) => void;
  /** Lets go of a session that this server has open, so that it can be changed. */
  release: (sessionId: string) => Promise<void>;
}

/** The rows of the explorer for the table of a server: the page, and the stored sessions of a home. */
export function explorerRoutes({ home = configHome(process.env), withoutPage, ...options }: ExplorerOptions): Route[] {
  return [...rowsOfPage(withoutPage), ...homeRoutes({ home, env: process.env, ...options })];
}

function rowsOfPage(withoutPage: ExplorerOptions['withoutPage']): Route[] {
  try {
    return pageRoutes(readPageFiles());
  } catch (error) {
    if (!withoutPage) throw error;
    withoutPage(messageOf(error));
    return [];
  }
}
