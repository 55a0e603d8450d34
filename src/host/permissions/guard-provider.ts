import { bubblewrapGuard, disksHere, type GuardPrograms } from '../../tools/path-guard/bubblewrap-guard.ts';
import { testGuard } from '../../tools/path-guard/guard-test.ts';
import type { GuardProvider } from '../../tools/path-guard/path-guard.ts';
import { openRootNamespace } from '../../tools/path-guard/root-namespace.ts';
import { seatbeltGuard } from '../../tools/path-guard/seatbelt-guard.ts';
import { findProgram } from '../../tools/sandbox/programs.ts';
import { runsAsRoot } from '../../tools/sandbox/reachable.ts';
import { messageOf } from '../../util/message-of.ts';
import type { GuardDependencies } from './guard-dependencies.ts';

const INSTALL = 'install bubblewrap (Debian, Ubuntu: apt-get install bubblewrap)';
const NAMESPACES =
  'It needs user namespaces, which some systems and containers forbid (sysctl kernel.unprivileged_userns_clone, ' +
  'kernel.apparmor_restrict_unprivileged_userns)';

/** The way of this system to put walls around a process, tested; or why there is none. */
export async function findGuardProvider(
  dependencies: Pick<GuardDependencies, 'engine' | 'env' | 'workspace'>,
): Promise<GuardProvider | { problem: string }> {
  const { engine } = dependencies;
  const found = await untested(dependencies);
  if ('problem' in found) return found;
  const { run } = engine.processes;
  const problem = await testGuard(found.confine, (spec) => run(spec, new AbortController().signal));
  if (problem === null) return found;
  found.close();
  return { problem: found.name === 'bubblewrap' ? `${problem}. ${NAMESPACES}` : problem };
}

async function untested({
  engine,
  env,
  workspace,
}: Pick<GuardDependencies, 'engine' | 'env' | 'workspace'>): Promise<GuardProvider | { problem: string }> {
  if (engine.platform === 'darwin') return { name: 'seatbelt', confine: seatbeltGuard, close() {} };
  if (engine.platform !== 'linux') return { problem: `there is no way to do so on ${engine.platform}` };
  const program = (name: string) => findProgram(name, env.PATH, workspace.roots);
  const bwrap = program('bwrap');
  if (bwrap === null) return { problem: `bwrap is not installed: ${INSTALL}` };
  if (!runsAsRoot()) return bubblewrapProvider({ bwrap, root: null }, () => {});
  const [unshare, nsenter] = [program('unshare'), program('nsenter')];
  if (unshare === null || nsenter === null) return { problem: 'for root it needs unshare and nsenter of util-linux' };
  try {
    const { path, close } = await openRootNamespace(unshare, engine.processes.run);
    return bubblewrapProvider({ bwrap, root: { nsenter, namespace: path, disks: disksHere() } }, close);
  } catch (error) {
    return { problem: `${messageOf(error)}. ${NAMESPACES}` };
  }
}

function bubblewrapProvider(programs: GuardPrograms, close: () => void): GuardProvider {
  return { name: 'bubblewrap', confine: (spec, mounts) => bubblewrapGuard(spec, mounts, programs), close };
}
