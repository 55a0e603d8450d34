import { expect, it } from 'vitest';
import { decide } from '../../src/permissions/decide.ts';
import { bash, policyFor, rules } from '../permissions/policy-for.ts';
import { PLAIN_COMMANDS } from '../support/plain-commands.ts';

it('[R-6] plain commands pass by their plain rules, whatever else is denied', () => {
  const deny = rules('Bash(rm:*)', 'Bash(git push:*)', 'Bash(sudo:*)', 'Read(./.env)', 'Edit(secrets/**)');
  const refused = PLAIN_COMMANDS.flatMap(([rule, ...commands]) =>
    commands.filter((command) => decide(bash(command), policyFor({ allow: rules(rule), deny })).behavior !== 'allow'),
  );
  expect(refused).toEqual([]);
  expect(PLAIN_COMMANDS.flatMap(([, ...commands]) => commands).length).toBeGreaterThanOrEqual(50);
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
