import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toolEnv } from '../../host/engine/environment.ts';
import { orphansIn } from '../../host/worktrees/remove-stale-worktrees.ts';
import { contentOf, nearestWorktreesFolder } from '../../host/worktrees/worktree-folder.ts';
import { findProgram } from '../../tools/sandbox/programs.ts';
import { ripgrepPath } from '../../tools/search/ripgrep-path.ts';
import { messageOf } from '../../util/message-of.ts';
import { HEDDLE_VERSION, WIRE_VERSION } from '../../wire/version.ts';
import type { Check, DoctorContext } from './check.ts';

const LEAST_NODE: readonly [number, number] = [20, 19];

/** Checks Node and Heddle itself. */
export async function gatherVersions({ nodeVersion }: DoctorContext): Promise<Check[]> {
  const [major = 0, minor = 0] = nodeVersion.split('.').map(Number);
  const isOld = major < LEAST_NODE[0] || (major === LEAST_NODE[0] && minor < LEAST_NODE[1]);
  const least = LEAST_NODE.join('.');
  return [
    {
      id: 'node',
      ...(isOld
        ? { status: 'problem', summary: `Node ${nodeVersion} is too old`, next: `install Node ${least} or newer` }
        : { status: 'ok', summary: `Node ${nodeVersion}` }),
      facts: { version: nodeVersion, least },
    },
    {
      id: 'heddle',
      status: 'ok',
      summary: `Heddle ${HEDDLE_VERSION}, wire version ${WIRE_VERSION}`,
      facts: { version: HEDDLE_VERSION, wireVersion: WIRE_VERSION },
    },
  ];
}

/** Checks the ripgrep that ships with the package: Grep and Glob use no other. */
export async function gatherRipgrep(context: DoctorContext): Promise<Check[]> {
  const id = 'ripgrep';
  try {
    const rgPath = await ripgrepPath();
    const version = await versionOf(rgPath, context);
    return [{ id, status: 'ok', summary: `${version} (bundled)`, facts: { version, path: rgPath } }];
  } catch (error) {
    const next = 'install heddle again for this platform, with optional dependencies: Grep and Glob need it';
    return [{ id, status: 'problem', summary: `does not run: ${messageOf(error)}`, next, facts: {} }];
  }
}

export async function gatherGit(context: DoctorContext): Promise<Check[]> {
  const id = 'git';
  try {
    const git = findProgram('git', context.env.PATH, [context.cwd]);
    if (git === null) throw new Error('it is not on PATH');
    const version = await versionOf(git, context);
    return [{ id, status: 'ok', summary: version, facts: { version } }];
  } catch (error) {
    const next = 'install git, if the model should look at changes or commit them';
    return [{ id, status: 'warning', summary: `does not run: ${messageOf(error)}`, next, facts: {} }];
  }
}

const TIMEOUT_MS = 8000;
const MAX_OUTPUT = 4000;

/** The first line that a program prints for `--version`. Rejects when it cannot be started or exits with an error. */
async function versionOf(command: string, { engine, env }: DoctorContext): Promise<string> {
  let output = '';
  const onOutput = (_stream: string, data: Buffer) => {
    if (output.length < MAX_OUTPUT) output += data.toString('utf8');
  };
  // Not in the directory under examination: none of its files may influence what runs here.
  const spec = { command, args: ['--version'], cwd: tmpdir(), env: toolEnv(env), timeoutMs: TIMEOUT_MS, onOutput };
  const { exitCode, timedOut } = await engine.processes.run(spec, new AbortController().signal);
  if (timedOut) throw new Error(`no answer within ${TIMEOUT_MS} ms`);
  if (exitCode !== 0) throw new Error(`it ended with exit code ${exitCode}`);
  return output.split('\n')[0]?.trim() ?? '';
}

/** The worktrees of the project; empty where it has none. Does not run git. */
export async function gatherWorktrees({ cwd }: DoctorContext): Promise<Check[]> {
  const folder = nearestWorktreesFolder(cwd);
  if (folder === null) return [];
  const { worktrees, leased } = contentOf(folder);
  const left = orphansIn(folder);
  const used = leased.filter((name) => worktrees.includes(name) && !left.includes(name));
  const facts = { folder, worktrees, used, left };
  if (worktrees.length === 0) return [{ id: 'worktrees', status: 'ok', summary: 'none', facts }];
  const gone =
    left.length > 0
      ? `, ${left.length} left by processes that are gone (the next run with a worktree looks after them)`
      : '';
  const summary = `${worktrees.length} in ${folder}, ${used.length} in use${gone}`;
  const next = `git worktree remove ${join(folder, 'NAME')}`;
  return [{ id: 'worktrees', status: 'ok', summary, next, facts }];
}
