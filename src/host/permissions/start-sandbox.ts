import { deniedPatterns } from '../../permissions/denied-patterns.ts';
import { namedPaths } from '../../permissions/named-paths.ts';
import { nodeRealPath, rememberingRealPath } from '../../permissions/real-path.ts';
import { excludedCommands } from '../../permissions/sandbox-policy.ts';
import { createDeniedPaths, type DeniedPaths } from '../../tools/path-guard/denied-paths.ts';
import { createBubblewrap } from '../../tools/sandbox/bubblewrap.ts';
import type { SandboxPaths } from '../../tools/sandbox/confinement.ts';
import type { AllowedHosts } from '../../tools/sandbox/network.ts';
import { findProgram } from '../../tools/sandbox/programs.ts';
import type { Provider } from '../../tools/sandbox/provider.ts';
import { createSandbox } from '../../tools/sandbox/sandbox.ts';
import { readSandboxRules, type SandboxRules } from '../../tools/sandbox/sandbox-settings.ts';
import { createSeatbelt } from '../../tools/sandbox/seatbelt.ts';
import type { JsonObject } from '../../util/json.ts';
import { printable } from '../../util/text/printable.ts';
import { HeddleError } from '../../wire/errors.ts';
import { keyFile } from '../engine/stored-keys.ts';
import { allowedHosts } from './sandbox-hosts.ts';
import { NO_SANDBOX, type SandboxDependencies, type SandboxInfo, type SessionSandbox } from './session-sandbox.ts';

// One door for all that confines commands.
export { startPathGuard } from './start-path-guard.ts';

/** Reads the setting, makes the sandbox and tests it. See `openSandbox`. */
export async function startSandbox(setting: JsonObject, dependencies: SandboxDependencies): Promise<SessionSandbox> {
  const { log } = dependencies.engine.runtime;
  const rules = readSandboxRules(setting, (key, meant) => {
    const hint = meant === null ? '' : `. Did you mean ${meant}?`;
    log('warn', `The setting ${printable(key)} has no effect in this version${hint}`);
  });
  if (!rules.enabled) return NO_SANDBOX;
  const hosts = allowedHosts(rules.network, dependencies.policy);
  const isExcluded = excludedCommands(rules.excludedCommands);
  const provider = findProvider(rules, hosts, dependencies);
  if ('problem' in provider) return without(provider.problem, rules, dependencies);

  const { workspace, engine } = dependencies;
  await engine.ownProgram.load();
  const resolve = (path: string) => workspace.resolve(path);
  const denied = createDeniedPaths();
  const paths = sandboxPaths(dependencies, provider, denied);
  const sandbox = createSandbox({ rules, provider, hosts, paths, resolve, isExcluded });
  const problem = await sandbox.test((spec) => engine.processes.run(spec, new AbortController().signal));
  if (problem !== null) {
    await sandbox.close();
    denied.close();
    return without(`${problem}. ${provider.name === 'bubblewrap' ? NAMESPACES : ''}`.trim(), rules, dependencies);
  }
  return {
    shell: sandbox,
    policy: { autoAllow: rules.autoAllow, confines: (command) => !isExcluded(command) },
    info: () => ({ ...infoOf(rules, provider, hosts), unix_sockets: sandbox.unixSockets() }),
    describe: () => sandbox.describe(),
    async close() {
      await sandbox.close();
      denied.close();
    },
  };
}

const INSTALL = 'install bubblewrap and socat (Debian, Ubuntu: apt-get install bubblewrap socat)';
const ELSEWHERE = 'A program that runs outside of the sandbox must not: install it elsewhere';
const NAMESPACES =
  'It needs user namespaces, which some systems forbid (sysctl kernel.unprivileged_userns_clone, ' +
  'kernel.apparmor_restrict_unprivileged_userns); in a container try sandbox.enableWeakerNestedSandbox';

function findProvider(
  { isWeaker, network, filesystem }: SandboxRules,
  hosts: AllowedHosts,
  { engine, env, workspace }: SandboxDependencies,
): Provider | { problem: string } {
  if (engine.platform === 'darwin') return createSeatbelt(network);
  if (engine.platform !== 'linux') return { problem: `there is none for ${engine.platform}` };
  const opened = filesystem.allowWrite.map((path) => workspace.resolve(path)).filter((path) => path !== '/');
  const writable = [...workspace.roots, ...opened.map((path) => nodeRealPath(path) ?? path)];
  const bwrap = findProgram('bwrap', env.PATH, writable);
  const socat = findProgram('socat', env.PATH, writable);
  if (bwrap === null) {
    const isOpen = findProgram('bwrap', env.PATH, []) !== null;
    return {
      problem: isOpen ? `bwrap lies where commands may write. ${ELSEWHERE}` : `bwrap is not installed: ${INSTALL}`,
    };
  }
  const needsNetwork =
    hosts.list().length > 0 || network.httpProxyPort !== undefined || network.socksProxyPort !== undefined;
  if (socat === null && needsNetwork) return { problem: `socat is not installed: ${INSTALL}` };
  return createBubblewrap({ bwrap, socat, isWeaker, realPath: nodeRealPath });
}

/** A session that requires a sandbox does not run without one. Otherwise it runs with a warning. */
function without(problem: string, { isRequired }: SandboxRules, { engine }: SandboxDependencies): SessionSandbox {
  const message = `The sandbox cannot be used: ${problem}`;
  if (isRequired) throw new HeddleError('sandbox_unavailable', message);
  engine.runtime.log('warn', `${message}. Commands run without it, as sandbox.failIfUnavailable says.`);
  return { ...NO_SANDBOX, info: () => ({ enabled: false, unavailable: problem }) };
}

function sandboxPaths(
  { engine, policy, env, configHome }: SandboxDependencies,
  { programs }: Provider,
  denied: DeniedPaths,
): SandboxPaths {
  // Commands may not read the runtime's keys.
  const keyFiles = configHome === null ? [] : [keyFile(configHome)];
  return {
    roots: () => policy().roots,
    async denied() {
      const now = policy();
      const realPath = rememberingRealPath();
      const found = await denied.now(deniedPatterns(now.deny, { ...now, realPath }), realPath);
      return {
        reads: [...namedPaths(now.deny, 'read', now), ...found.reads, ...keyFiles],
        writes: [...namedPaths(now.deny, 'edit', now), ...found.edits],
      };
    },
    configHome,
    ownProgram: [...engine.ownProgram.paths(), ...programs],
    home: env.HOME ?? '',
    realPath: nodeRealPath,
  };
}

function infoOf(rules: SandboxRules, { name }: Provider, hosts: AllowedHosts): SandboxInfo {
  const { network, isWeaker, autoAllow, mayLeave } = rules;
  const hasOwnProxy = network.httpProxyPort !== undefined || network.socksProxyPort !== undefined;
  const allowed = hosts.list();
  return {
    enabled: true,
    provider: name,
    network: hasOwnProxy ? 'own-proxy' : allowed.length > 0 ? 'allow-list' : 'off',
    allowed_hosts: [...allowed],
    weaker: isWeaker,
    auto_allow: autoAllow,
    may_leave: mayLeave,
  };
}
