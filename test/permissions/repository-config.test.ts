import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { decide } from '../../src/permissions/decide.ts';
import { hasPlainRepository } from '../../src/permissions/repository-config.ts';
import { gitReadsOnly } from '../../src/tools/shell/shell-exec.ts';
import { bash, realPolicy } from './policy-for.ts';

/** Reading commands that run without a question in a plain repository. */
const READING = [
  'git status',
  'git diff',
  'git diff HEAD',
  'git diff --cached',
  'git log -p',
  'git log --oneline --all',
  'git show HEAD',
  'git blame a.txt',
  'git grep x',
  'git ls-files -m',
  'git rev-parse HEAD',
  'git branch -vv',
  'git stash list',
  'git remote -v',
  'git describe --always',
];

/** Settings as they stand in the file, with `RUN` for a program that leaves a mark; and what else the repository needs. */
const SETTINGS: { text: string; files?: Record<string, string>; acts?: false }[] = [
  { text: '[diff] external = RUN' },
  { text: '[diff "z"] textconv = RUN', files: { '.gitattributes': '* diff=z\n' } },
  { text: '[diff.z] textconv = RUN', files: { '.gitattributes': '* diff=z\n' } },
  { text: '[a][diff "z"]textconv = RUN', files: { '.gitattributes': '* diff=z\n' } },
  { text: '[a "]"] [diff "z"]\ttextconv = RUN', files: { '.gitattributes': '* diff=z\n' } },
  { text: '[DIFF "z"]\n\tTEXTCONV\t=\tRUN', files: { '.gitattributes': '* diff=z\n' } },
  { text: '[diff "z"] command = RUN', files: { '.gitattributes': '* diff=z\n' } },
  { text: '[filter "z"] clean = RUN', files: { '.gitattributes': '* filter=z\n' } },
  { text: '[filter "z"] process = RUN', files: { '.gitattributes': '* filter=z\n' } },
  { text: '[filter "z"] clean = RUN', files: { '.git/info/attributes': '* filter=z\n' } },
  { text: '[diff "z"] textconv = RUN\n[core] attributesFile = attr', files: { attr: '* diff=z\n' } },
  { text: '[include] path = ../other', files: { other: '[diff]\nexternal = RUN\n' } },
  { text: '[includeIf "gitdir:**"] path = ../other', files: { other: '[diff]\nexternal = RUN\n' } },
  { text: '[extensions] worktreeConfig = true', files: { '.git/config.worktree': '[diff]\nexternal = RUN\n' } },
  { text: '[gpg] program = RUN\n[log] showSignature = true' },
  { text: '[gpg "openpgp"] program = RUN\n[log] showSignature = true' },
  { text: '[core] fsmonitor = RUN', acts: false },
  // These concern other commands: reading ones may run beside them.
  { text: '[core] hooksPath = hooks', files: { 'hooks/post-index-change': '#!/bin/sh\nRUN\n' }, acts: false },
  { text: '[alias] status = !RUN', acts: false },
  { text: '[alias] log = !RUN\n diff = !RUN', acts: false },
  { text: '[core] pager = RUN', acts: false },
  { text: '[pager] log = RUN\n diff = RUN\n show = RUN\n branch = RUN\n blame = RUN\n stash = RUN', acts: false },
  { text: '[core] editor = RUN\n[sequence] editor = RUN', acts: false },
  { text: '[interactive] diffFilter = RUN', acts: false },
  { text: '[merge "z"] driver = RUN', files: { '.gitattributes': '* merge=z\n' }, acts: false },
  { text: '[submodule "s"] update = !RUN\n path = s\n url = ./s', acts: false },
  { text: '[url "ext::RUN "] insteadOf = https://', acts: false },
  { text: '[core] sshCommand = RUN\n[remote "o"] url = ssh://h/x', acts: false },
  { text: '[core] alternateRefsCommand = RUN', acts: false },
  { text: '[core] gitProxy = RUN\n[core] askPass = RUN', acts: false },
  { text: '[remote "o"] url = .\n uploadpack = RUN\n receivepack = RUN\n vcs = ext', acts: false },
  { text: '[trailer "t"] command = RUN\n cmd = RUN', acts: false },
  { text: '[credential] helper = !RUN', acts: false },
];

describe('settings of a repository that start programs', () => {
  const { cwd, policy } = realPolicy({ hasPlainRepository });
  const mark = join(cwd, 'mark');
  const program = join(cwd, 'run.sh');
  const env = { PATH: process.env.PATH ?? '', HOME: cwd, ...gitReadsOnly({}) };
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', cwd, '-c', 'user.name=x', '-c', 'user.email=x@example.com', ...args], {
      env: { ...env, GIT_CONFIG_NOSYSTEM: '1' },
      stdio: 'ignore',
    });

  function makeRepository(text: string, files: Record<string, string> = {}) {
    rmSync(cwd, { recursive: true, force: true });
    mkdirSync(cwd, { recursive: true });
    writeFileSync(program, `#!/bin/sh\necho x >> ${mark}\ncat "$@" 2>/dev/null\n`, { mode: 0o755 });
    git('init', '--quiet', '--template=');
    writeFileSync(join(cwd, 'a.txt'), 'x 1\n');
    git('add', 'a.txt');
    git('commit', '--quiet', '--message', 'first');
    signLast();
    writeFileSync(join(cwd, 'a.txt'), 'x 2\n');
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(join(cwd, name, '..'), { recursive: true });
      writeFileSync(join(cwd, name), content.replaceAll('RUN', program), { mode: 0o755 });
    }
    appendFileSync(join(cwd, '.git/config'), `${text.replaceAll('RUN', program)}\n`);
  }

  /** Not by anyone: git starts a program to find that out. */
  function signLast() {
    const run = (args: string[], input = '') => execFileSync('git', args, { cwd, env, input, encoding: 'utf8' }).trim();
    const commit = run(['cat-file', 'commit', 'HEAD']).replace(
      '\n\n',
      '\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\n',
    );
    run(['update-ref', 'HEAD', run(['hash-object', '-t', 'commit', '-w', '--stdin'], `${commit}\n`)]);
  }

  /** The reading commands during which git starts the program. */
  function thatRun(): string[] {
    return READING.filter((command) => {
      rmSync(mark, { force: true });
      // Otherwise git takes what it remembers of the file for what is in it.
      writeFileSync(join(cwd, 'a.txt'), `x ${Math.random()}\n`);
      spawnSync('bash', ['-c', command], { cwd, env, stdio: 'ignore', timeout: 5000 });
      return existsSync(mark);
    });
  }

  it('[K50] git describe --dirty is asked for: it starts a hook of any repository', () => {
    makeRepository('[core] hooksPath = hooks', { 'hooks/post-index-change': '#!/bin/sh\nRUN\n' });
    // The hook runs when git has to write its index: not where a file looks as it did when it was added.
    spawnSync('bash', ['-c', 'git ls-files -z | xargs -0 touch -d @1'], { cwd, env, stdio: 'ignore' });
    spawnSync('git', ['describe', '--always', '--dirty'], { cwd, env, stdio: 'ignore' });
    expect(existsSync(mark)).toBe(true);
    expect(decide(bash('git describe --always --dirty'), policy).behavior).toBe('ask');
  });

  it('[K50] none stands in a plain repository: all reading commands run', () => {
    makeRepository('');
    expect(thatRun()).toEqual([]);
    for (const command of READING) expect(decide(bash(command), policy).behavior, command).toBe('allow');
  });

  it.each(SETTINGS)('[K50] $text: what git would start is asked for', ({ text, files, acts }) => {
    makeRepository(text, files);
    const behaviors = READING.map((command) => decide(bash(command), policy).behavior);
    const running = thatRun();
    if (acts === false) return expect(running).toEqual([]);
    expect(running).not.toEqual([]);
    for (const command of running) expect(behaviors[READING.indexOf(command)], command).toBe('ask');
  });
});
