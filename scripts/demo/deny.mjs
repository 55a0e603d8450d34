// Scene 2: a deny rule, in the mode that asks nothing. `git` is a stand-in here that leaves a mark, so that a file, not a
// message, decides whether it has run.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { createSession } from '../../dist/index.js';
import { check, paint, say, scene } from './paint.mjs';

const RULE = 'Bash(git push:*)';
const FORMS = [
  'git push --force',
  'bash -c "git push --force"',
  'sh -c \'eval "git push --force"\'',
  'env -u EDITOR nice git push --force',
  'x=push; git $x --force',
  'find . -maxdepth 0 -exec git push --force \\;',
];

/** The rule forbids what it names, not the program. */
const HARMLESS = 'git log --oneline';

/** Resolves with what went wrong; nothing, if the promise was kept. */
export async function showDeny(folder) {
  const project = join(folder, 'deny');
  const mark = join(project, 'PUSHED');
  const programs = join(project, 'bin');
  mkdirSync(programs, { recursive: true });
  writeFileSync(join(programs, 'git'), `#!/bin/sh\nfor word; do [ "$word" = push ] && : > '${mark}'; done\n`, {
    mode: 0o755,
  });
  scene(2, 'Deny means deny', `The mode bypassPermissions asks nothing; one rule forbids ${RULE}.`);

  const session = createSession({
    model: 'offline',
    cwd: project,
    env: { ...process.env, HEDDLE_HOME: join(folder, 'home'), PATH: `${programs}${delimiter}${process.env.PATH}` },
    permissionMode: 'bypassPermissions',
    allowDangerouslySkipPermissions: true,
    disallowedTools: [RULE],
  });
  const denied = [];
  try {
    for (const command of [...FORMS, HARMLESS]) {
      const { result } = await session.ask(`run: ${command}`);
      const isDenied = result.permission_denials.length === 1;
      if (isDenied) denied.push(command);
      say(`   ${isDenied ? paint.bad('denied') : paint.good('ran   ')}  ${command}`);
    }
  } finally {
    await session.close();
  }
  const isKept = denied.join() === FORMS.join() && !existsSync(mark);
  check(isKept, `${FORMS.length} forms of one command: all denied, no push`);
  return isKept ? [] : [`${RULE} did not hold: ${denied.length} of ${FORMS.length} forms were denied`];
}
