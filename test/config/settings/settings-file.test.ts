import { chmodSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseSettings, readSettingsFile } from '../../../src/config/settings/settings-file.ts';
import { asOrdinaryUser } from '../../support/as-user.ts';
import { tempDir } from '../support.ts';

describe('[R-18] a settings file', () => {
  test('that is not there has nothing to say', () => {
    expect(readSettingsFile(join(tempDir(), 'none.json'))).toBeNull();
  });

  test('may begin with a byte order mark, and may be empty', () => {
    expect(parseSettings('\uFEFF{"a":1}', 'x')).toEqual({ a: 1 });
    expect(parseSettings(' \n', 'x')).toEqual({});
  });

  test.each([
    ['{\n  "a": 1,\n  oops\n}', /here\.json, line 3, column 3/],
    ['{"a": ', /here\.json, line 1, column 7/],
    ['[1]', /not a JSON object \(here\.json\)/],
    ['{"permissions":{"deny":["Bash"]},"permissions":{}}', /permissions twice.*\(here\.json\)/],
    ['{"permissions":{"deny":["Bash"],"d\\u0065ny":[]}}', /permissions\.deny twice/],
    ['{"a":[{"b":1},{"b":{"c":"{","c":"\\""}}]}', /a\.b\.c twice/],
  ])('%j is an error that says where', (text, message) => {
    expect(() => parseSettings(text, 'here.json')).toThrow(message);
  });

  test('may hold the same name in different places', () => {
    expect(parseSettings('{"a":{"a":"a","b":["a","a",{"a":1}]},"b":{"a":"\\"a\\":"}}', 'x')).toMatchObject({ b: {} });
  });

  test('with bytes that are no text is an error: a rule in it would mean something else', () => {
    const path = join(tempDir(), 'settings.json');
    writeFileSync(path, Buffer.from('{"permissions":{"deny":["Bash(to\xffch:*)"]}}', 'latin1'));
    expect(() => readSettingsFile(path)).toThrow(/settings\.json is not valid UTF-8/);
  });

  test('that is a link which leads nowhere is an error', () => {
    const path = join(tempDir(), 'settings.json');
    symlinkSync('/nonexistent/settings.json', path);
    expect(() => readSettingsFile(path)).toThrow(expect.objectContaining({ code: 'invalid_settings' }));
  });

  test('that may not be read is an error', async () => {
    const dir = tempDir();
    const path = join(dir, 'settings.json');
    writeFileSync(path, '{}');
    chmodSync(path, 0);
    await asOrdinaryUser(dir, async () => {
      expect(() => readSettingsFile(path)).toThrow(expect.objectContaining({ code: 'invalid_settings' }));
    });
  });

  test('that is a directory is an error', () => {
    expect(() => readSettingsFile(tempDir())).toThrow(expect.objectContaining({ code: 'invalid_settings' }));
  });
});
