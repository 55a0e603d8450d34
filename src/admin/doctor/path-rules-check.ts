import { toolEnv } from '../../host/engine/environment.ts';
import { openLaunchContext } from '../../host/launch/launch-context.ts';
import { findGuardProvider } from '../../host/permissions/guard-provider.ts';
import type { Check, DoctorContext } from './check.ts';

/** Checks which line holds rules that deny paths: it runs a process that tries to read and write what it must not. */
export async function gatherPathRules({ engine, env, config }: DoctorContext): Promise<Check[]> {
  const id = 'path-rules';
  const { configuration, workspace } = await openLaunchContext(engine, { config });
  const { enforcement } = configuration.settings;
  const found = await findGuardProvider({ engine, workspace, env: toolEnv(env) });
  const problem = 'problem' in found ? found.problem : null;
  if (!('problem' in found)) found.close();
  const heldBy = enforcement !== 'parse' && problem === null ? 'kernel' : 'parse';
  const facts = { enforcement, held_by: heldBy, works: problem === null };
  const setting = `permissions.enforcement is ${enforcement}`;
  if (problem === null) {
    const summary =
      heldBy === 'kernel'
        ? `the kernel holds rules that deny paths (a forbidden read was stopped); ${setting}`
        : `rules that deny paths hold as far as Heddle can read a command; the kernel could hold them, but ${setting}`;
    return [{ id, status: 'ok', summary, facts }];
  }
  const summary = `rules that deny paths hold as far as Heddle can read a command; the kernel cannot: ${problem}; ${setting}`;
  return [{ id, status: enforcement === 'kernel' ? 'problem' : 'warning', summary, facts }];
}
