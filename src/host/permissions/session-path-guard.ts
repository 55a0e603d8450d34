import { hasPathRules } from '../../permissions/denied-patterns.ts';
import type { Policy } from '../../permissions/policy.ts';
import type { GuardedSpec, ShellGuard } from '../../tools/shell-sandbox.ts';
import { madeOnce } from '../../util/made-once.ts';
import { HeddleError } from '../../wire/errors.ts';
import type { SystemInitMessage } from '../../wire/messages/init.ts';
import { deniedPrograms } from './denied-programs.ts';
import type { GuardDependencies } from './guard-dependencies.ts';
import type { StartedPathGuard } from './start-path-guard.ts';

/** Who holds path rules: `auto` the kernel where it can, `kernel` the kernel or nothing runs, `parse` only Heddle. */
export type Enforcement = 'auto' | 'kernel' | 'parse';

/** Lets the kernel hold the path rules of a session. */
export interface SessionPathGuard {
  /** The guard of a thread: holds the rules that its policy has when a command starts. */
  forThread(policy: () => Policy): ShellGuard;
  /** What holds path rules now, for `init.path_rules`; null while nothing has to. */
  info(): PathRulesInfo | null;
  close(): Promise<void>;
}

export type PathRulesInfo = NonNullable<SystemInitMessage['path_rules']>;

/**
 * Opens the guard of a session. Without path rules it loads no code and starts nothing. Rejects with
 * `enforcement_unavailable` when the settings demand the kernel and it cannot hold rules here.
 */
export async function openPathGuard(
  enforcement: Enforcement,
  dependencies: GuardDependencies,
): Promise<SessionPathGuard> {
  const isRequired = enforcement === 'kernel';
  let started: StartedPathGuard | null = null;
  const start = madeOnce(async () => {
    const { startPathGuard } = await import('./start-sandbox.ts');
    started = await startPathGuard(dependencies, { masksPrograms: isRequired });
    return started;
  });
  const isNeededBy = ({ deny }: Policy) =>
    enforcement !== 'parse' && (hasPathRules(deny) || (isRequired && deniedPrograms(deny).length > 0));

  if (isRequired || isNeededBy(dependencies.policy())) {
    const { problem } = await start();
    if (isRequired && problem !== null) {
      await (await start()).close();
      throw new HeddleError('enforcement_unavailable', `${REQUIRED}: ${problem}`);
    }
  }

  return {
    forThread: (policy) => ({
      async confine<Spec extends GuardedSpec>(spec: Spec): Promise<Spec> {
        if (!isNeededBy(policy())) return spec;
        return (await start()).confine(spec, policy(), { isRequired });
      },
    }),
    info() {
      const hasRules = hasPathRules(dependencies.policy().deny);
      if (!hasRules && enforcement === 'auto') return null;
      if (enforcement === 'parse') return { enforcement, held_by: 'parse' };
      if (started === null) return { enforcement, held_by: 'parse' };
      const { problem, provider } = started;
      if (problem !== null) return { enforcement, held_by: 'parse', unavailable: problem };
      return { enforcement, held_by: 'kernel', ...(provider !== null && { provider }) };
    },
    close: async () => void (await (await start.begun()?.catch(() => null))?.close()),
  };
}

const REQUIRED = 'permissions.enforcement is "kernel", and the kernel cannot hold path rules here';
