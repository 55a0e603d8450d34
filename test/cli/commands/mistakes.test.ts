import { describe, expect, test } from 'vitest';
import { COMMAND_HELP } from '../../../src/cli/commands/all-help.ts';
import { MCP } from '../../../src/cli/commands/mcp/mcp.ts';
import { mistakeHints, refuseNearCommand } from '../../../src/cli/commands/mistakes.ts';
import { SESSIONS } from '../../../src/cli/commands/sessions/sessions-command.ts';
import { TASKS } from '../../../src/cli/commands/tasks/tasks-command.ts';
import { parseArgs } from '../../../src/cli/flags/args.ts';
import { HeddleError } from '../../../src/wire/errors.ts';

/** What is said after the error of a command line of a run. */
async function hints(...argv: string[]): Promise<string> {
  try {
    parseArgs(argv);
  } catch (error) {
    if (HeddleError.isInstance(error)) return (await mistakeHints(error.facts, argv)).join('\n');
  }
  return 'no mistake';
}

describe('after a mistake', () => {
  test.each([
    [['--modle', 'x'], 'Did you mean --model?'],
    [['-p', 'hi', '--alowedtools', 'Bash'], 'Did you mean --allowedTools?'],
    [['sesions', 'list'], 'Did you mean heddle sessions?'],
    [['doctr', '--json'], 'Did you mean heddle doctor?'],
    [['fix', 'the', 'bug'], 'As a prompt: heddle -p "fix the bug"'],
    [['pay', '$5', "to'me"], "As a prompt: heddle -p 'pay $5 to'\\''me'"],
  ])('%j: %s', async (argv, hint) => {
    const lines = (await hints(...argv)).split('\n');
    expect(lines).toContain(hint);
    expect(lines).toContain('Usage: heddle [options] [prompt]');
  });

  test('nothing is near a single letter, or what is far from everything', async () => {
    expect(await hints('-x')).not.toContain('Did you mean');
    expect(await hints('--frobnicate')).not.toContain('Did you mean');
  });

  test('a prompt that a list has taken is found', async () => {
    const facts = { missing: 'prompt' };
    const said = async (...argv: string[]) => (await mistakeHints(facts, argv)).join('\n');
    expect(await said('-p', '--allowedTools', 'Bash', 'fix it')).toContain('--allowedTools takes all words up to');
    expect(await said('-p', '--allowedTools', 'Bash')).not.toContain('takes all words');
    expect(await said('-p', '--model', 'haiku')).not.toContain('takes all words');
  });

  test('other errors get no hints', async () => {
    expect(await mistakeHints({ path: 'x' }, ['sessions', 'list'])).toEqual([]);
  });
});

test('a single word is refused only when it is nearly a command', () => {
  for (const word of ['docter', 'session', 'task', 'mpc']) expect(() => refuseNearCommand(word)).toThrow(word);
  for (const word of ['hi', 'test', 'explain', 'review']) expect(() => refuseNearCommand(word)).not.toThrow();
});

test('the list of help texts knows every command of every group', () => {
  for (const { group, actions } of [SESSIONS, TASKS, MCP]) {
    const listed = Object.keys(COMMAND_HELP).filter((name) => name.startsWith(`heddle ${group} `));
    expect(listed.sort()).toEqual(
      Object.keys(actions)
        .map((name) => `heddle ${group} ${name}`)
        .sort(),
    );
  }
});
