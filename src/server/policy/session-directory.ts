import { realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { isInsideAny } from '../../util/files/path-inside.ts';
import { HeddleError } from '../../wire/errors.ts';
import type { LaunchPolicy } from './launch-policy.ts';

/** The real path of the directory that a client wants to work in. Rejects with `not_permitted` outside of the roots. */
export function sessionDirectory(wanted: string | undefined, { roots }: Pick<LaunchPolicy, 'roots'>): string {
  const [first] = roots;
  if (first === undefined) throw new HeddleError('not_permitted', 'The server has no root for sessions');
  if (wanted === undefined) return first;
  const path = realDirectory(resolve(first, wanted));
  if (path !== null && isInsideAny(roots, path)) return path;
  // The same answer whether it exists or not: who may not go there need not learn what is there.
  const message = `Sessions of this server work below ${roots.join(', ')}: choose an existing directory there`;
  throw new HeddleError('not_permitted', message, { facts: { field: 'workspace.path', roots } });
}

function realDirectory(path: string): string | null {
  if (path.includes('\0')) return null;
  try {
    const real = realpathSync(path);
    return statSync(real).isDirectory() ? real : null;
  } catch {
    return null;
  }
}
