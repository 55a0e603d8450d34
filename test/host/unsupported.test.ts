import { describe, expect, test } from 'vitest';
import { noteUnsupported } from '../../src/host/unsupported.ts';
import type { RunConfig } from '../../src/wire/run-config.ts';
import { createHouse } from './support.ts';

function notesOn(config: RunConfig): string[] {
  const notes: string[] = [];
  noteUnsupported(config, (level, message) => notes.push(`${level}: ${message}`));
  return notes;
}

describe('[K38] a setting without effect', () => {
  test.each<[string, RunConfig]>([['--permission-prompts', { permissionPrompts: 'host' }]])(
    '%s is named, once',
    (flag, config) => {
      expect(notesOn(config)).toEqual([`warn: ${flag} has no effect in this version and was ignored`]);
    },
  );

  test('what is absent, off or empty is not', () => {
    expect(notesOn({ settingSources: [], forwardSubagentText: false, model: 'opus', maxTurns: 3 })).toEqual([]);
  });

  test('a field of initialize is named as well, unless it asks for nothing', async () => {
    const house = createHouse(['Done.']);
    const client = house.connect();
    const nothing = { promptSuggestions: false, plugins: [], planModeInstructions: null };
    await client.control({ subtype: 'initialize', title: 'Looms', toolAliases: { Bash: 'x' }, ...nothing });
    await client.ask('go');
    const notes = house.logs.filter(({ level }) => level === 'warn').map(({ message }) => message);
    expect(notes).toEqual(['initialize.toolAliases has no effect in this version and was ignored']);
  });
});
