import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toolEnv } from '../../host/engine/environment.ts';
import { openLaunchContext } from '../../host/launch/launch-context.ts';
import { startSandbox } from '../../host/permissions/start-sandbox.ts';
import type { Policy } from '../../permissions/policy.ts';
import { nodeRealPath } from '../../permissions/real-path.ts';
import { findProgram } from '../../tools/sandbox/programs.ts';
import { readSandboxRules, type SandboxRules } from '../../tools/sandbox/sandbox-settings.ts';
import type { ShellSandbox } from '../../tools/shell-sandbox.ts';
import { createLocalWorkspace } from '../../tools/workspace/local-workspace.ts';
import type { JsonObject } from '../../util/json.ts';
import { messageOf } from '../../util/message-of.ts';
import type { Check, DoctorContext } from './check.ts';

/**
 * Checks whether commands could be confined here: it runs one that may write, and one that must not. Also when the
 * sandbox is off.
 */
export async function gatherSandbox(context: DoctorContext): Promise<Check[]> {
  const id = 'sandbox';
  const { configuration } = await openLaunchContext(context.engine, { config: context.config });
  const setting = configuration.settings.sandbox ?? {};
  const rules = rulesOf(setting);
  if ('problem' in rules)
    return [
      { id, status: 'problem', summary: rules.problem, next: 'heddle config list shows where it stands', facts: {} },
    ];
  const problem = await tryOut(setting, context);
  const facts = { enabled: rules.enabled, works: problem === null };
  const state = rules.enabled ? 'it is on' : 'it is off, as no setting turns it on';
  if (problem === null) {
    return [{ id, status: 'ok', summary: `works here (a forbidden write was stopped); ${state}`, facts }];
  }
  const isNeeded = rules.enabled && rules.isRequired;
  return [{ id, status: isNeeded ? 'problem' : 'warning', summary: `${problem}; ${state}`, facts }];
}

function rulesOf(setting: JsonObject): SandboxRules | { problem: string } {
  try {
    return readSandboxRules(setting, () => {});
  } catch (error) {
    return { problem: messageOf(error) };
  }
}

/** Linux needs two programs for the sandbox, other systems none. */
export async function gatherSandboxPrograms({ engine, env, cwd }: DoctorContext): Promise<Check[]> {
  if (engine.platform !== 'linux') return [];
  const id = 'sandbox-programs';
  const [bwrap, socat] = ['bwrap', 'socat'].map((name) => findProgram(name, env.PATH, [cwd]));
  const facts = { bwrap: bwrap ?? null, socat: socat ?? null };
  if (bwrap && socat) return [{ id, status: 'ok', summary: `bubblewrap (${bwrap}) and socat (${socat})`, facts }];
  const missing = [...(bwrap ? [] : ['bubblewrap']), ...(socat ? [] : ['socat'])].join(' and ');
  const next = 'apt-get install bubblewrap socat, if commands should run in a sandbox';
  return [{ id, status: 'warning', summary: `not installed: ${missing}`, next, facts }];
}

/** Null when the sandbox confines. Works in its own directory; hosts may be allowed, but no connection is made. */
async function tryOut(setting: JsonObject, { engine, env }: DoctorContext): Promise<string | null> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'heddle-doctor-')));
  const inside = join(base, 'inside');
  mkdirSync(inside);
  try {
    const { processes } = engine;
    const sandbox = await startSandbox(
      { ...setting, enabled: true, failIfUnavailable: true, filesystem: {}, excludedCommands: [] },
      {
        engine,
        workspace: createLocalWorkspace({ cwd: inside, roots: [inside], home: base, privateDir: null, processes }),
        policy: () => plainPolicy(inside),
        env: toolEnv(env),
        configHome: null,
      },
    );
    try {
      return sandbox.shell ? await confines(sandbox.shell, base, { inside, env, run: processes.run }) : 'there is none';
    } finally {
      await sandbox.close();
    }
  } catch (error) {
    return messageOf(error);
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

/** Judged by the files that exist afterwards, not by the output of the commands. */
async function confines(
  shell: ShellSandbox,
  base: string,
  { inside, env, run }: { inside: string; env: DoctorContext['env']; run: DoctorContext['engine']['processes']['run'] },
): Promise<string | null> {
  const write = async (path: string) => {
    const args = ['-c', ': > "$1"', 'sh', path];
    const spec = { command: '/bin/sh', args, cwd: inside, env: { PATH: env.PATH }, timeoutMs: TIMEOUT_MS };
    await shell.inside(spec, (confined) => run(confined, new AbortController().signal));
    return existsSync(path);
  };
  if (!(await write(join(inside, 'allowed')))) return 'a command in it cannot write where it may';
  return (await write(join(base, 'forbidden'))) ? 'a command in it can write where it must not' : null;
}

const TIMEOUT_MS = 5000;

/** A policy that decides nothing: it gives the sandbox the working directory. */
function plainPolicy(cwd: string): Policy {
  return {
    mode: 'default',
    ...{ allow: [], deny: [], ask: [] },
    ...{ cwd, roots: [cwd], readRoots: [] },
    ...{ bypassAllowed: false, searchesFiltered: false },
    protectedPath: () => false,
    realPath: nodeRealPath,
  };
}
