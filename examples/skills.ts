// A skill and a command of a project: plain files that the agent finds by itself, once their source is named.
import { mkdirSync, writeFileSync } from 'node:fs';
import { query, successOf } from 'heddle';

mkdirSync('.claude/skills/greet', { recursive: true });
writeFileSync('.claude/skills/greet/SKILL.md', '---\ndescription: Greets people\n---\nrun: echo hello $ARGUMENTS\n');
mkdirSync('.claude/commands', { recursive: true });
writeFileSync(
  '.claude/commands/shout.md',
  '---\ndescription: Says it loudly\nargument-hint: [words]\nallowed-tools: Bash(echo:*)\n---\nrun: echo $1, $2!\n',
);

for (const prompt of ['/greet Ada', '/shout warp weft']) {
  // Without a source nothing of the project is read. Naming it also says that its files may act.
  const options = { model: 'offline', settingSources: ['project' as const], persistSession: false };
  const run = query({ prompt, options });
  const names = ['greet', 'shout'];
  const commands = (await run.supportedCommands()).filter(({ name }) => names.includes(name));
  if (prompt.startsWith('/greet')) {
    for (const { name, argumentHint, description } of commands) {
      console.log(`/${name} ${argumentHint}`.padEnd(16), description);
    }
  }
  for await (const message of run) {
    if (message.type === 'system' && message.subtype === 'init') console.log('skills:', message.skills.join(' '));
    if (message.type === 'result') console.log(successOf(message).result);
  }
}
