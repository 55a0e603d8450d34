import { expect, test } from 'vitest';
import { maskSettings } from '../../../src/config/settings/mask-settings.ts';

test.each([
  ...['ANTHROPIC_API_KEY', 'GITHUB_TOKEN', 'AWS_SECRET_ACCESS_KEY', 'DB_PASSWORD', 'MYSQL_PWD', 'GH_PAT'],
  ...['ANTHROPIC_CUSTOM_HEADERS', 'NPM_CONFIG__AUTH', 'SESSION_COOKIE', 'GOOGLE_APPLICATION_CREDENTIALS', 'API_TOKENS'],
])('[R-16] the value of %s is not shown', (name) => {
  expect(maskSettings({ env: { [name]: 'the-secret' } })).toEqual({ env: { [name]: '***' } });
});

test('[R-16] nor are headers, nor passwords in addresses', () => {
  expect(
    maskSettings({
      env: { HTTPS_PROXY: 'http://user:pw@proxy:1/x' },
      hooks: { Stop: [{ hooks: [{ type: 'http', headers: { 'X-Any': 'the-secret' } }] }] },
    }),
  ).toEqual({
    env: { HTTPS_PROXY: 'http://***@proxy:1/x' },
    hooks: { Stop: [{ hooks: [{ type: 'http', headers: { 'X-Any': '***' } }] }] },
  });
});

test('everything else is shown as it is', () => {
  const values = {
    env: { MAX_THINKING_TOKENS: '1000', EDITOR: 'vi', EMPTY_KEY: '' },
    permissions: { allow: ['Bash(pass show:*)'], deny: ['Read(./token)'] },
    modelLimits: { 'openai/key': { contextWindow: 5 } },
    list: [1, null, true],
  };
  expect(maskSettings(values)).toEqual(values);
});
