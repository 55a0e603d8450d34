import { describe, expect, it } from 'vitest';
import { decide } from '../../src/permissions/decide.ts';
import { bash, policyFor, rules } from '../permissions/policy-for.ts';
import { makeShims } from '../support/shims.ts';

const { cwd, fires } = makeShims(['zap']);
const denying = policyFor({ cwd, mode: 'bypassPermissions', deny: rules('Bash(zap:*)') });

describe('programs that are not known to start others, and variables that tell them what to start', () => {
  it.each([
    "prlimit sh -c 'zap x'",
    'setpriv bash -c \'z""ap x\'',
    "prlimit -- sh -e -c 'true && zap x'",
    "prlimit env sh -c 'zap x'",
    "printf 'x:\\n\\t$(CC) x\\n' > Makefile; CC=zap make x",
  ])('[R-3] what %s runs is denied', (command) => {
    expect(decide(bash(command), denying)).toMatchObject({ behavior: 'deny', layer: 'deny-rule' });
  });

  it('[R-3] such a program does run it', () => {
    expect(fires("prlimit sh -c 'zap x'")).toBe(true);
  });

  it.each([
    "sg users 'zap x'",
    "sg users -c 'zap x'",
    "capsh -- -c 'zap x'",
    "strace -o '|zap x' true",
    `R -e 'system("zap x")'`,
    "scp -o 'ProxyCommand=zap x' a h:b",
    'socat - EXEC:zap',
    "socat SYSTEM:'zap x' -",
    'apt-get -o APT::Update::Pre-Invoke::=zap update',
    'run-parts bin',
    'RSYNC_RSH=zap rsync a h:b',
    'SSH_ASKPASS=zap ssh h',
    'npm_config_script_shell=zap npm test',
    'npm --script-shell zap test',
    'prlimit sh -c "$x"',
    "some-tool 'a=z; b=ap; $a$b x'",
    "some-tool 'z?p x'",
    "some-tool --run='`echo za``echo p` x'",
    "some-tool 'printf z%s ap | sh'",
    "echo 'z*p x' | some-tool",
    "some-tool <<< 'exec z[a]p'",
    "some-tool <(echo 'z\\ap x')",
    'echo \'run("za" + "p")\' > f.py; some-tool f.py',
    "echo 'exec zap' | json_pp -f eval",
  ])('[R-3] [R-4] %s is denied', (command) => {
    expect(decide(bash(command), denying).behavior).toBe('deny');
  });

  it.each([
    "docker run --rm image bash -c 'npm test'",
    'apt-get install zsh',
    'man bash',
    'CC=gcc make',
    'FORCE=zapper make',
    'npm --prefix sub run build',
    'git commit -m "sh -c zap"',
    'some-tool --message "fix: tests (all of them) pass; 3 * 4"',
    "some-tool --filter '.items[] | select(.a > 1)'",
    'echo "SELECT * FROM t WHERE a = 1" | some-tool --query',
    'some-tool <<\'END\'\n{"a": [1, 2], "b": "c d"}\nEND',
    'curl -s http://localhost/x | json_pp',
  ])('[R-6] %s is not', (command) => {
    expect(decide(bash(command), denying).behavior).toBe('allow');
  });
});
