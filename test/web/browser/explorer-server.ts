import { readPageFiles } from '../../../src/web/page-files.ts';
import { pageRoutes } from '../../../src/web/page-routes.ts';
import { type HomeServer, homeServer } from '../../server/home/support.ts';

export interface ExplorerServer extends HomeServer {
  /** The address of the page with a code in it. */
  address(rest?: string): Promise<string>;
}

/** A server with the page, over a home of its own. */
export async function explorerServer(options: { isReadOnly?: boolean } = {}): Promise<ExplorerServer> {
  const home = await homeServer({ ...options, more: pageRoutes(readPageFiles()) });
  return {
    ...home,
    async address(rest = '') {
      const { json } = await home.ask('/v1/page-codes', { method: 'POST', body: {} });
      return `${home.url}/#code=${json.code}${rest}`;
    },
  };
}
