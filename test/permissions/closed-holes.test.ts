import { expect, it } from 'vitest';
import { decide } from '../../src/permissions/decide.ts';
import { bash, policyFor, rules } from './policy-for.ts';

/** Each of these was once seen to do what the rule denies. */
it.each([
  ['Bash(touch:*)', "printf 'x:\\n\\ttouch y\\n' > Makefile; make"],
  ['Bash(touch:*)', `echo '{"scripts":{"y":"touch z"}}' > package.json; npm run y`],
  ['Bash(touch:*)', "for PS4 in '$(touch x)'; do set -x; :; done"],
  ['Bash(touch:*)', `: "\${BASH_ENV:=x}"; bash y.sh`],
  ['Bash(touch:*)', "printf '#!/bin/sh\\ntouch x\\n' > .git/hooks/pre-commit; git commit --allow-empty -qm x"],
  ['Bash(grep:*)', 'egrep a b'],
  ['Bash(apropos:*)', 'man -k x'],
  ['Bash(grep:*)', 'ssh-copy-id -n h'],
  ['Bash(touch:*)', "bash +c 'touch x'"],
  ['Bash(touch:*)', 'bash -login -c x'],
  ['Bash(touch:*)', 'echo "touch x" | bash //dev/stdin'],
  ['Bash(touch:*)', 'cd /dev; echo "touch x" | bash stdin'],
  ['Bash(touch:*)', "tar cf /dev/null --checkpoint=1 --checkpoint-action=exec='touch x' ."],
  ['Bash(touch:*)', "make --eval='$(shell touch x)'"],
  ['Bash(touch:*)', "npx -c 'touch x'"],
  ['Bash(touch:*)', "ssh -o ProxyCommand='touch x' h true"],
  ['Bash(touch:*)', 'LD_PRELOAD=./x.so ls'],
  ['Bash(touch:*)', 'printf -v PATH /x; ls'],
  ['Bash(touch:*)', 'mapfile PATH < x; ls'],
  ['Read(./.env)', `awk 'BEGIN { ARGV[1] = ".env"; ARGC = 2 } 1' x`],
  ['Read(./.env)', 'man ./.env'],
  ['Read(./.env)', 'date --file=.env'],
  ['Read(./.env)', 'ln -s . out; cat out/.env'],
  ['Read(./.env)', `echo '#include ".env"' | gcc -E -P -`],
  ['Read(./.env)', 'git worktree add -q sub/w; cat sub/w/.env'],
  ['Read(./.env)', 'git show HEAD:.env'],
  ['Read(./.env)', 'git diff --no-index /dev/null .env'],
  ['Read(./.env)', 'git grep x'],
  ['Read(./.env)', 'git blame .env'],
  ['Read(./.env)', 'git log -p'],
  ['Edit(./locked/**)', 'cd locked; npm init -y'],
  ['Edit(./locked/**)', "env --chdir=locked sh -c '> new'"],
  ['Edit(./locked/**)', 'cpp /dev/null locked/new'],
  ['Edit(./locked/**)', 'git -C locked init -q'],
  ['Edit(./locked/**)', 'git checkout -- locked/a'],
  ['Edit(./locked/**)', 'git log --output=locked/a'],
])('[R-2] [R-3] [K44] %s denies %s', (rule, command) => {
  const policy = policyFor({ mode: 'bypassPermissions', deny: rules(rule) });
  expect(decide(bash(command), policy)).toMatchObject({ behavior: 'deny', layer: 'deny-rule' });
});
