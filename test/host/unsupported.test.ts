import { describe, expect, test } from 'vitest';
import { noteUnsupported } from '../../src/host/unsupported.ts';
import type { RunConfig } from '../../src/wire/run-config.ts';

function notesOn(config: RunConfig): string[] {
  const notes: string[] = [];
  noteUnsupported(config, (level, message) => notes.push(`${level}: ${message}`));
  return notes;
}

describe('[K38] a setting without effect', () => {
  test.each<[string, RunConfig]>([
    ['--agents', { agents: '{}' }],
    ['--agent', { agent: 'reviewer' }],
    ['--permission-prompts', { permissionPrompts: 'host' }],
    ['--forward-subagent-text', { forwardSubagentText: true }],
  ])('%s is named, once', (flag, config) => {
    expect(notesOn(config)).toEqual([`warn: ${flag} has no effect in this version and was ignored`]);
  });

  test('what is absent, off or empty is not', () => {
    expect(notesOn({ settingSources: [], forwardSubagentText: false, model: 'opus', maxTurns: 3 })).toEqual([]);
  });

  test('[G7] someone to ask who cannot be asked is said to be a denial', () => {
    expect(notesOn({ permissionPromptTool: 'stdio' })).toEqual([]);
    expect(notesOn({ permissionPromptTool: 'mcp__ask' })).toEqual([
      expect.stringContaining('would be asked is denied'),
    ]);
  });
});
