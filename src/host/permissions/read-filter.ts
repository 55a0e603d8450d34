import { hiddenPaths } from '../../permissions/path-rules.ts';
import { rememberingRealPath } from '../../permissions/real-path.ts';
import type { Permissions } from './thread-permissions.ts';

/** Returns a function that reports whether an absolute path is hidden by no rule. Valid for one search only. */
export async function readFilter(permissions: Pick<Permissions, 'policy'>): Promise<(path: string) => boolean> {
  const isHidden = hiddenPaths(permissions.policy, rememberingRealPath());
  return (path) => !isHidden(path);
}
