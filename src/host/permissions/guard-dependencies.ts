import type { Policy } from '../../permissions/policy.ts';
import type { Workspace } from '../../tools/workspace.ts';
import type { Engine } from '../engine/engine.ts';
import type { Env } from '../engine/environment.ts';

/** What the guard of path rules takes of a session. */
export interface GuardDependencies {
  engine: Pick<Engine, 'platform' | 'processes' | 'ownProgram'>;
  workspace: Pick<Workspace, 'roots'>;
  policy: () => Policy;
  env: Env;
  configHome: string | null;
}
