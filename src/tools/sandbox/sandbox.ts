import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '../../util/message-of.ts';
import type { ProcessOutcome, ProcessSpec } from '../../util/process/process.ts';
import { SpawnError } from '../../util/process/spawn-error.ts';
import type { ShellSandbox } from '../shell-sandbox.ts';
import { ToolError } from '../tool.ts';
import { type Confinement, checkNamed, createConfinement, type SandboxPaths } from './confinement.ts';
import { type AllowedHosts, createNetwork } from './network.ts';
import { unwritablePath, writableLast } from './programs.ts';
import type { Cell, Provider } from './provider.ts';
import type { SandboxRules } from './sandbox-settings.ts';
import { testSandbox } from './self-test.ts';
import { explainViolations } from './violations.ts';

export interface SandboxOptions {
  rules: SandboxRules;
  provider: Provider;
  paths: SandboxPaths;
  hosts: AllowedHosts;
  /** Makes a path of the settings absolute. */
  resolve(path: string): string;
  /** True when every command of the line is excluded from the sandbox. */
  isExcluded(command: string): boolean;
}

export interface Sandbox extends ShellSandbox {
  /** Tests the sandbox. Resolves with the reason why it does not confine, or null when it does. */
  test(run: Run): Promise<string | null>;
  /** Which unix sockets commands can reach: `none`, those that are `listed`, `all`; `unknown`: the known ones are closed. */
  unixSockets(): UnixSocketAccess;
  /** A sentence for the model about what commands may and may not reach. */
  describe(): string;
  close(): Promise<void>;
}

export type UnixSocketAccess = 'none' | 'listed' | 'all' | 'unknown';

type Run = (spec: ProcessSpec) => Promise<ProcessOutcome>;

/** The sandbox of one session. Has a directory of its own until it is closed. */
export function createSandbox(options: SandboxOptions): Sandbox {
  const { rules, provider, paths, hosts, resolve, isExcluded } = options;
  const named = namedPaths(rules, resolve);
  checkNamed(named, paths);
  const state = realpathSync(mkdtempSync(join(tmpdir(), 'heddle-sandbox-')));
  const tmp = join(state, 'tmp');
  mkdirSync(tmp, { mode: 0o700 });
  const network = createNetwork({ rules: rules.network, hosts, listenOn: provider.proxyAddress(state) });
  const confinementNow = createConfinement(paths, named, [state]);
  const writable = () => [...paths.roots(), ...named.allowWrite];
  const realWritable = () => writable().map((path) => paths.realPath(path) ?? path);

  let canNest = provider.filtersCommand;

  async function runIn(cell: Omit<Cell, 'tmp' | 'state'>, spec: ProcessSpec, run: Run): Promise<ProcessOutcome> {
    const confined = provider.confine(spec, { ...cell, tmp, state });
    try {
      return await run(confined.spec);
    } finally {
      confined.release();
    }
  }

  return {
    confines({ command, dangerouslyDisableSandbox }) {
      if (dangerouslyDisableSandbox && !rules.mayLeave) throw new ToolError(NO_WAY_OUT);
      return !dangerouslyDisableSandbox && !isExcluded(command);
    },
    async inside(spec, run) {
      try {
        const outlet = await network.open();
        const filter = outlet === null ? 'all' : canNest ? 'command' : 'none';
        return await runIn({ confinement: await confinementNow(), outlet, filter }, spec, run);
      } catch (error) {
        return rethrowReadable(error);
      }
    },
    outside: (env) => ({ ...env, PATH: unwritablePath(env.PATH, realWritable()) }),
    beside: (env) => ({ ...env, PATH: writableLast(env.PATH, realWritable()) }),
    explain: (command, stderr) =>
      explainViolations({ command, stderr, refusedHosts: network.takeRefused() }, rules.ignoreViolations, {
        writable: writable(),
        network: network.describe(),
        mayLeave: rules.mayLeave,
      }),
    async test(run) {
      try {
        await confinementNow();
      } catch (error) {
        return messageOf(error);
      }
      const test = (filter: Cell['filter']) =>
        testSandbox(
          (spec) => runIn({ confinement: NOTHING, outlet: null, filter }, spec, run),
          paths.roots()[0] ?? '/',
        );
      const problem = await test('all');
      if (problem === null && canNest && network.isUsed()) canNest = (await test('command')) === null;
      return problem;
    },
    unixSockets() {
      if (named.unixSockets === 'all') return 'all';
      if (named.unixSockets.length > 0) return 'listed';
      return network.isUsed() && !canNest ? 'unknown' : 'none';
    },
    describe: () =>
      `Commands run in a sandbox: they can write only below ${writable().join(', ')} and in /tmp, ` +
      `which is their own, and ${network.describe()}. What they leave in the background ends with them.`,
    async close() {
      await network.close();
      await provider.settled();
      removeState(state);
    },
  };
}

/** Commands may have left files that cannot be removed; that must not fail the end of a session. */
function removeState(state: string): void {
  try {
    rmSync(state, { recursive: true, force: true });
  } catch {
    // stays in the system's directory for temporary files
  }
}

const NO_WAY_OUT =
  'Nothing was run: dangerouslyDisableSandbox is not permitted here. Call again without it; if the command cannot work in the sandbox, tell the user why.';

const NOTHING: Confinement = { writable: [], protectedPaths: [], hidden: [], unixSockets: [] };

function namedPaths({ filesystem, network }: SandboxRules, resolve: (path: string) => string) {
  const { allowWrite, denyWrite, denyRead } = filesystem;
  return {
    allowWrite: allowWrite.map(resolve),
    denyWrite: denyWrite.map(resolve),
    denyRead: denyRead.map(resolve),
    unixSockets: network.allowAllUnixSockets ? ('all' as const) : network.allowUnixSockets.map(resolve),
  };
}

/** Reports an error before the start of a command to the model as such: the command has not run. */
function rethrowReadable(error: unknown): never {
  const isSystem = error instanceof Error && 'syscall' in error && !(error instanceof SpawnError);
  if (!isSystem) throw error;
  throw new ToolError(`Nothing was run: the sandbox could not be made: ${messageOf(error)}`, { cause: error });
}
