import { describe, expect, test } from 'vitest';
import type { GivenOptions as Options } from '../../../src/sdk/index.ts';
import { toLaunch } from '../../../src/sdk/options/to-launch.ts';
import { toWords } from '../../../src/sdk/subprocess/command-words.ts';

/** The words of the command line that options become. */
function words(options: Options): string[] {
  return toWords(options, toLaunch(options).config);
}

/** The word behind a flag; undefined when it is not there. */
function flagOf(flag: string, options: Options): string | undefined {
  const all = words(options);
  return all.includes(flag) ? all[all.indexOf(flag) + 1] : undefined;
}

describe('mcpServers', () => {
  test('[OPT-44] left out says nothing, none at all says so', () => {
    expect(words({})).not.toContain('--mcp-config');
    expect(flagOf('--mcp-config', { mcpServers: {} })).toBe('{"mcpServers":{}}');
  });

  test('[OPT-21, MCP-14] a text is the path of a file', () => {
    expect(flagOf('--mcp-config', { mcpServers: '/etc/servers.json' })).toBe('/etc/servers.json');
  });
});

describe('thinking', () => {
  test.each<[string, Options, string | undefined]>([
    ['[TYP-17] adaptive', { thinking: { type: 'adaptive' } }, '32000'],
    ['[TYP-17] adaptive, with a number', { thinking: { type: 'adaptive' }, maxThinkingTokens: 9 }, '9'],
    ['[TYP-18] enabled', { thinking: { type: 'enabled', budgetTokens: 5 }, maxThinkingTokens: 9 }, '5'],
    ['[TYP-19] disabled', { thinking: { type: 'disabled' }, maxThinkingTokens: 9 }, '0'],
    ['not given, a number', { maxThinkingTokens: 9 }, '9'],
    ['not given', {}, undefined],
  ])('%s', (_what, options, tokens) => {
    expect(flagOf('--max-thinking-tokens', options)).toBe(tokens);
  });

  test('[B-076] what of it is shown goes along where it is said', () => {
    expect(flagOf('--thinking-display', { thinking: { type: 'adaptive', display: 'omitted' } })).toBe('omitted');
    const enabled = { type: 'enabled', budgetTokens: 5, display: 'summarized' } as const;
    expect(flagOf('--thinking-display', { thinking: enabled })).toBe('summarized');
    expect(flagOf('--thinking-display', { thinking: { type: 'adaptive' } })).toBeUndefined();
  });
});
