import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { createFilesBelow } from '../../../src/permissions/commands/files-below.ts';
import { decide } from '../../../src/permissions/decide.ts';
import { trackedFiles } from '../../../src/permissions/git-index.ts';
import { nodeNames } from '../../../src/permissions/real-path.ts';
import { bash, realPolicy, rules } from '../policy-for.ts';

let now = 0;
const { cwd, policy } = realPolicy({ namesIn: nodeNames, trackedFiles, filesBelow: createFilesBelow(() => now) });
const put = (name: string) => {
  mkdirSync(join(cwd, name, '..'), { recursive: true });
  writeFileSync(join(cwd, name), 'x');
};

beforeEach(() => {
  now += 1000;
});

for (const name of ['src/a.ts', 'src/lib/b.ts', 'public/x.html', '.env', 'dist/y.js']) put(name);

describe('commands for files that find finds', () => {
  it.each([
    "find src -name '*.ts' | xargs wc -l",
    "find . -name '*.ts' -print0 | xargs -0 grep -l x | head",
    'find src -type f -exec wc -l {} +',
    "find src -name '*.ts' -exec grep -n x {} \\; | sort",
    "find . -name '*.ts' | xargs -I{} head -3 {}",
  ])('[K50] that only read run without a question: %s', (command) => {
    expect(decide(bash(command), policy).behavior).toBe('allow');
  });

  it.each([
    "find src -name '*.ts' | xargs rm",
    "find src -name '*.ts' | xargs cat /etc/passwd",
    'find src | xargs cat < list',
    'find src | xargs cat < <(ls /)',
    "find src -L -name '*.ts' | xargs cat",
    "find -L src -name '*.ts' | xargs cat",
    'find /etc -type f | xargs cat',
    "find src -printf '/etc/passwd' | xargs cat",
    'find src -fprint x | xargs cat',
    'find() { ls /; }; find src | xargs cat',
    'cat list | xargs cat',
    'ls | xargs cat',
    'find src -execdir cat {} +',
    "find src -exec sh -c 'cat {}' +",
    'find src | xargs -d , cat',
    "mkdir 'src/a /etc'; find src | xargs cat",
  ])('[K50] and others ask: %s', (command) => {
    expect(decide(bash(command), policy).behavior).toBe('ask');
  });

  it('[K50] names that xargs would split, and links, ask', () => {
    put('odd/a b.ts');
    expect(decide(bash('find odd | xargs cat'), policy).behavior).toBe('ask');
    expect(decide(bash('find odd -print0 | xargs -0 cat'), policy).behavior).toBe('allow');
    mkdirSync(join(cwd, 'linked'));
    symlinkSync('/etc/passwd', join(cwd, 'linked/p.ts'));
    expect(decide(bash("find linked -name '*.ts' -exec cat {} +"), policy).behavior).toBe('ask');
    expect(decide(bash("find linked -name '*.md' -exec cat {} +"), policy).behavior).toBe('allow');
  });
});

describe('while a file is hidden', () => {
  const hiding = { ...policy, mode: 'bypassPermissions' as const, deny: rules('Read(.env)') };

  it.each([
    'cp -r public/* dist/',
    'cp -R public dist',
    'mkdir -p out && cp -r src out/',
    'grep -rn x src',
    'tar czf out.tgz src public',
    "find src -name '*.ts' | xargs wc -l",
    "find . -name '*.ts' -exec wc -l {} +",
    "find . -name '*.ts' | xargs some-tool",
    'find src -name \'*.ts\' | while read -r f; do some-tool "$f"; done',
    'some-tool "$VERSION"',
    'docker run --rm -v "$PWD":/app -w /app node:20 npm test',
    'diff <(sort src/a.ts) <(sort src/lib/b.ts)',
    'terraform plan -out plan',
    'aws s3 ls',
    'aws s3 cp dist s3://bucket --recursive',
    'helm list -A',
    "gh pr create --title 'fix: x' --body 'See .env and `x`'",
  ])('[R-6] commands that do not touch it run: %s', (command) => {
    expect(decide(bash(command), hiding).behavior).toBe('allow');
  });

  it.each([
    'cp -r . out',
    'grep -rn x .',
    'grep -rn x src & mv .env src/x',
    'mv sub src; grep -rn x src',
    "bash -c 'mv sub src; grep -rn x src'",
    'find . -type f | xargs cat',
    'find . -type f | xargs some-tool',
    "find . -name '*.ts' -o -name '.env' | xargs cat",
    'ls -A | xargs some-tool',
    'some-tool "$PWD/.env"',
    'some-tool $x/.env',
    'x=.env; some-tool "$x"',
    'some-tool {a,.env}',
    'for f in .e*; do some-tool $f; done',
    'docker run -v "$PWD:/app" image cat /app/.env',
    'docker run -v "$PWD:/app" image sh -c x',
    'docker compose config',
    'aws s3 cp . s3://bucket --recursive',
    'aws ec2 describe-instances --filters file://.env',
    'terraform plan -var-file .env',
    'gh pr create --title x --body-file .env',
  ])('[R-3] those that may are denied: %s', (command) => {
    expect(decide(bash(command), hiding).behavior).toBe('deny');
  });

  it('[R-3] a directory is looked at for each decision', () => {
    expect(decide(bash('cp -r public out'), hiding).behavior).toBe('allow');
    put('public/.env');
    now += 1000;
    expect(decide(bash('cp -r public out'), hiding).behavior).toBe('deny');
  });
});
