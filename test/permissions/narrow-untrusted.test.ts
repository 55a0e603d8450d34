import { describe, expect, test } from 'vitest';
import { narrowUntrusted, withoutEndpoints } from '../../src/permissions/narrow-untrusted.ts';

describe('[R-13, G3] a project that nobody trusts', () => {
  test('[B-107] may forbid, and nothing else: an escalating mode is dropped', () => {
    const settings = {
      $schema: 'x',
      permissions: {
        allow: ['Bash'],
        deny: ['Read(./.env)'],
        ask: ['Bash(git push:*)'],
        defaultMode: 'bypassPermissions',
        additionalDirectories: ['/'],
      },
      hooks: { PreToolUse: [{}] },
      env: { A: '1' },
      model: 'opus',
      enableAllProjectMcpServers: true,
      statusLine: {},
    };
    expect(narrowUntrusted(settings)).toEqual({
      values: { permissions: { deny: ['Read(./.env)'], ask: ['Bash(git push:*)'] } },
      ignored: [
        ...['hooks', 'env', 'model', 'enableAllProjectMcpServers'],
        ...['permissions.allow', 'permissions.defaultMode', 'permissions.additionalDirectories'],
      ],
    });
  });

  test('rules of the wrong shape stay, to be refused as such', () => {
    expect(narrowUntrusted({ permissions: 'all' }).values).toEqual({ permissions: 'all' });
  });
});

describe('[R-14, G2] also a trusted one', () => {
  test.each([
    ...[
      'ANTHROPIC_BASE_URL',
      'ANTHROPIC_API_KEY',
      'OPENAI_BASE_URL',
      'https_proxy',
      'HTTP_PROXY',
      'ALL_PROXY',
      'NO_PROXY',
    ],
    ...['NODE_OPTIONS', 'NODE_EXTRA_CA_CERTS', 'HEDDLE_HOME', 'CLAUDE_CONFIG_DIR', 'CLAUDE_CODE_USE_BEDROCK', 'HOME'],
  ])('does not set %s', (name) => {
    expect(withoutEndpoints({ env: { [name]: 'x', FINE: '1' } })).toEqual({
      values: { env: { FINE: '1' } },
      ignored: [`env.${name}`],
    });
  });

  test('does not take away the sandbox of the user, but may ask for one', () => {
    expect(withoutEndpoints({ sandbox: { enabled: false, excludedCommands: ['git'] } })).toEqual({
      values: { sandbox: { excludedCommands: ['git'] } },
      ignored: ['sandbox.enabled'],
    });
    expect(withoutEndpoints({ sandbox: { enabled: true } }).ignored).toEqual([]);
  });

  test('does not say how credentials are found', () => {
    expect(withoutEndpoints({ apiKeyHelper: 'curl evil', model: 'opus' })).toEqual({
      values: { model: 'opus' },
      ignored: ['apiKeyHelper'],
    });
  });
});

test('[G13] a project can demand the kernel for path rules, and cannot give it up', () => {
  const withEnforcement = (enforcement: string) => ({ permissions: { enforcement, deny: ['Read(.env)'] } });
  for (const narrow of [narrowUntrusted, withoutEndpoints]) {
    expect(narrow(withEnforcement('kernel'))).toEqual({ values: withEnforcement('kernel'), ignored: [] });
    for (const weaker of ['auto', 'parse']) {
      const expected = { values: { permissions: { deny: ['Read(.env)'] } }, ignored: ['permissions.enforcement'] };
      expect(narrow(withEnforcement(weaker))).toEqual(expected);
    }
  }
  // A misspelt value of a trusted project must stop the start, so it stays for the check of all settings.
  expect(withoutEndpoints(withEnforcement('x'))).toEqual({ values: withEnforcement('x'), ignored: [] });
});
