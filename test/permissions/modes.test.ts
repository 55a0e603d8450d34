import { describe, expect, it } from 'vitest';
import { parseMode } from '../../src/permissions/modes.ts';

describe('parseMode', () => {
  it.each(['default', 'acceptEdits', 'bypassPermissions', 'plan', 'dontAsk', 'delegate', 'auto'])(
    '[K4] knows %s',
    (mode) => {
      expect(parseMode(mode)).toBe(mode);
    },
  );

  it('[K4] takes manual for default', () => {
    expect(parseMode('manual')).toBe('default');
  });

  it.each(['', 'Plan', 'bypass', 'toString'])('[K4] refuses %j and names the choices', (text) => {
    expect(() => parseMode(text)).toThrow(
      expect.objectContaining({ code: 'invalid_option', message: expect.stringContaining('acceptEdits') }),
    );
  });
});
