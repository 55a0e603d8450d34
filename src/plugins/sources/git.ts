import { join } from 'node:path';
import { checkGitUrl, checkRef, withoutPassword } from '../marketplace-source.ts';
import { pluginError } from '../plugin-error.ts';
import { type FetchTools, outputOf } from './tools.ts';

export interface GitSource {
  url: string;
  /** A branch, a tag, or a whole commit. Absent: what the repository shows first. */
  ref?: string | undefined;
  /** The commit that must come out. */
  sha?: string | undefined;
  /** Only these folders are checked out. */
  sparsePaths?: readonly string[] | undefined;
  /** Whether the address may be one of this machine. */
  mayBeLocal: boolean;
}

/** Checks out one commit into a folder that does not exist yet; resolves with the commit. Nothing of it runs. */
export async function checkOut(source: GitSource, to: string, tools: FetchTools): Promise<string> {
  const { url, ref, sha, sparsePaths = [], mayBeLocal } = source;
  checkGitUrl(url, { mayBeLocal });
  if (ref !== undefined) checkRef(ref);
  if (sha !== undefined && !isCommit(sha)) throw pluginError(`'${sha}' is no commit: 40 hexadecimal digits`);
  const shown = withoutPassword(url);
  const wanted = sha ?? ref;
  tools.report(`Fetching ${shown}${wanted === undefined ? '' : ` at ${wanted.slice(0, 40)}`}`);
  const git = (cwd: string, ...args: string[]) =>
    outputOf({ command: 'git', args, cwd, env: gitEnv(tools, mayBeLocal), doing: shown }, tools);
  await git('/', 'init', '--quiet', '--template=', '--', to);
  await git(to, 'remote', 'add', '--', 'origin', url);
  if (sparsePaths.length > 0) await git(to, 'sparse-checkout', 'set', '--', ...sparsePaths.map(checkedFolder));
  const filter = sparsePaths.length > 0 ? ['--filter=blob:none'] : [];
  await fetchCommit((...args) => git(to, ...args), { wanted: wanted ?? 'HEAD', filter, shown });
  const commit = (await git(to, 'rev-parse', '--verify', 'FETCH_HEAD^{commit}')).trim();
  if (sha !== undefined && commit !== sha) throw pluginError(`${shown}: the commit is ${commit} and not ${sha}`);
  await git(to, 'checkout', '--quiet', '--detach', '--force', commit);
  return commit;
}

/** Some servers give only what branches and tags name: then all of these are fetched, and the commit is looked for. */
async function fetchCommit(
  git: (...args: string[]) => Promise<string>,
  { wanted, filter, shown }: { wanted: string; filter: readonly string[]; shown: string },
): Promise<void> {
  const fetch = ['fetch', '--quiet', '--no-tags', '--no-recurse-submodules', ...filter];
  if (!isCommit(wanted)) {
    await git(...fetch, '--depth=1', '--', 'origin', wanted);
    return;
  }
  try {
    await git(...fetch, '--depth=1', '--', 'origin', wanted);
  } catch {
    await git(...fetch, '--tags', '--', 'origin', '+refs/heads/*:refs/remotes/origin/*');
    const on = await git('branch', '--remotes', '--contains', wanted).catch(() => '');
    const tags = await git('tag', '--contains', wanted).catch(() => '');
    if (`${on}${tags}`.trim() === '') throw pluginError(`${shown} has no commit ${wanted} on a branch or a tag`);
    await git('fetch', '--quiet', '--no-tags', '--no-recurse-submodules', '--', '.', wanted);
  }
}

export function isCommit(text: string): boolean {
  return /^[0-9a-f]{40}$/.test(text);
}

function checkedFolder(path: string): string {
  if (/^(?!-)[\w./ -]+$/.test(path) && !path.split('/').includes('..') && !path.startsWith('/')) return path;
  throw pluginError(`'${path}' is no folder of a repository`);
}

/** Variables like GIT_DIR would select another repository; credentials come from the user's own configuration. */
const VARIABLES = [
  ...['PATH', 'HOME', 'XDG_CONFIG_HOME', 'TMPDIR', 'USER', 'LOGNAME', 'LANG', 'SSH_AUTH_SOCK', 'SSH_AGENT_PID'],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'no_proxy', 'all_proxy'],
  ...['GIT_SSL_CAINFO', 'SSL_CERT_FILE', 'SSL_CERT_DIR'],
];

/** Overrides every configuration file: nothing that a repository has may start a program. */
const SETTINGS = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['core.symlinks', 'true'],
  ['core.protectHFS', 'true'],
  ['core.protectNTFS', 'true'],
  ['core.autocrlf', 'false'],
  ['submodule.recurse', 'false'],
  ['fetch.recurseSubmodules', 'false'],
  ['transfer.fsckObjects', 'true'],
  ['protocol.allow', 'never'],
  ['protocol.https.allow', 'always'],
  ['protocol.http.allow', 'always'],
  ['protocol.ssh.allow', 'always'],
  ['http.followRedirects', 'initial'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['advice.detachedHead', 'false'],
  ['filter.lfs.smudge', ''],
  ['filter.lfs.process', ''],
  ['filter.lfs.required', 'false'],
] as const;

function gitEnv({ env }: FetchTools, mayBeLocal: boolean): Record<string, string | undefined> {
  const given = VARIABLES.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]]));
  const settings = [...SETTINGS, ['protocol.file.allow', mayBeLocal ? 'always' : 'never']];
  return {
    ...Object.fromEntries(given),
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: 'true',
    SSH_ASKPASS: 'true',
    GIT_SSH_COMMAND: 'ssh -oBatchMode=yes',
    GIT_LFS_SKIP_SMUDGE: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_PAGER: 'cat',
    LC_ALL: 'C',
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(
      settings.flatMap(([key, value], at) => [
        [`GIT_CONFIG_KEY_${at}`, key],
        [`GIT_CONFIG_VALUE_${at}`, value],
      ]),
    ),
  };
}

/** The address of a repository on GitHub. */
export function githubUrl(repo: string): string {
  return `https://github.com/${repo}.git`;
}

/** A folder of a checkout. Throws `plugin_failed` for one that leads out of it. */
export function folderIn(checkout: string, path: string): string {
  const plain = path.replace(/^\.\//, '').replace(/\/+$/, '');
  return plain === '' || plain === '.' ? checkout : join(checkout, checkedFolder(plain));
}
