import { expect, it } from 'vitest';
import { decide } from '../../src/permissions/decide.ts';
import { bash, policyFor, rules } from '../permissions/policy-for.ts';

/** What people let run, and what their agents then write. */
const CASES: [rule: string, ...commands: string[]][] = [
  ['Bash(npm test:*)', 'npm test', 'npm test -- --watch', 'npm test 2>&1', 'npm test 2>&1 | tail -20', 'CI=1 npm test'],
  ['Bash(npm run lint:*)', 'npm run lint', 'npm run lint -- --fix src/*.ts', 'npm run lint || true'],
  [
    'Bash(npm run build)',
    'npm run build',
    'npm run build && echo built',
    '(npm run build)',
    'npm run build > /dev/null',
  ],
  ['Bash(npx tsc:*)', 'npx tsc --noEmit', 'npx tsc --noEmit -p tsconfig.json | head -50', 'npx tsc; echo done'],
  ['Bash(git status:*)', 'git status', 'git status --short', 'git status; git status -sb'],
  ['Bash(git diff:*)', 'git diff', 'git diff HEAD~1 -- src', 'git diff --stat | cat', 'git diff -- "a b.txt"'],
  ['Bash(git log *)', 'git log --oneline', 'git log -n 5 --format=%H', 'git log -1 --format="%an <%ae>"'],
  ['Bash(git add:*)', 'git add .', 'git add src/*.ts', 'git add -A && git add README.md'],
  [
    'Bash(git commit:*)',
    'git commit -m "fix: a; b && c"',
    "git commit -m 'it'\\''s done'",
    `git commit -m "$(cat <<'EOF'\nfix: one thing\n\nand $another, "quoted"\nEOF\n)"`,
    'git commit --amend --no-edit',
  ],
  ['Bash(git stash list)', 'git stash list'],
  ['Bash(cargo test:*)', 'cargo test', 'cargo test --workspace 2>/dev/null', 'timeout 300 cargo test'],
  ['Bash(go test ./...)', 'go test ./...', 'go  test  ./...'],
  ['Bash(pytest:*)', 'pytest -q tests/test_a.py::test_b', 'nice pytest', 'pytest -k "a and not b"'],
  ['Bash(make * test)', 'make -C sub test'],
  ['Bash(docker ps:*)', 'docker ps -a --format "{{.Names}}"', 'docker ps | wc -l'],
  ['Bash(curl https://example.com/*)', 'curl https://example.com/a/b'],
  ['Bash(sed -n:*)', "sed -n '1,20p' src/index.ts", 'sed -n 5p a.txt'],
  ['Bash(node scripts/build.mjs:*)', 'node scripts/build.mjs --no-types', 'node scripts/build.mjs && pwd'],
  ['Bash(python3 -m pytest:*)', 'python3 -m pytest -x'],
];

it('[R-6] plain commands pass by their plain rules, whatever else is denied', () => {
  const deny = rules('Bash(rm:*)', 'Bash(git push:*)', 'Bash(sudo:*)', 'Read(./.env)', 'Edit(secrets/**)');
  const refused = CASES.flatMap(([rule, ...commands]) =>
    commands.filter((command) => decide(bash(command), policyFor({ allow: rules(rule), deny })).behavior !== 'allow'),
  );
  expect(refused).toEqual([]);
  expect(CASES.flatMap(([, ...commands]) => commands).length).toBeGreaterThanOrEqual(50);
});

it('[R-6] deny rules leave usual commands alone in bypassPermissions', () => {
  const deny = rules('Bash(rm:*)', 'Bash(git push:*)', 'Bash(curl:*)');
  const commands = [
    'git rm --cached a.txt',
    'docker run --rm -it image sh build.sh',
    'for f in *.txt; do echo "$f"; done',
    'find . -name "*.rm" -type f',
    'grep -rn "rm -rf" src | head',
    'cd sub && npm ci && npm test',
    'export NODE_ENV=test; npm test',
    'if [ -f package.json ]; then npm test; else echo none; fi',
    "ls -la | awk '{print $5, $9}' | sort -n",
    "sed -i 's/a/b/g' src/*.ts",
    'cat > notes.md <<EOF\nrm and git push are not run\nEOF',
    'python3 -c "import json; print(json.dumps({}))"',
    'node -e "console.log(require(\'./package.json\').version)"',
    'npm test > log.txt 2>&1 &',
    'git commit -m "do not rm or git push"',
    'x=$(git rev-parse HEAD); echo "$x"',
    'while read -r line; do echo "$line"; done < list.txt',
    'diff <(sort a) <(sort b)',
    'test -d node_modules || npm ci',
    'mkdir -p out && cp a.txt out/ && chmod 644 out/a.txt',
  ];
  const policy = policyFor({ mode: 'bypassPermissions', deny });
  expect(commands.filter((command) => decide(bash(command), policy).behavior !== 'allow')).toEqual([]);
});
