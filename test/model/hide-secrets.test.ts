import { describe, expect, test } from 'vitest';
import { createHide, hidingLogger } from '../../src/model/hide-secrets.ts';

describe('createHide', () => {
  test('[R-16] hides secrets as they are, and as JSON spells them', () => {
    const hide = createHide(['pass"word', 'word-of-mine']);
    expect(hide('a pass"word')).toBe('a ***');
    expect(hide(JSON.stringify({ echo: 'pass"word, word-of-mine' }))).toBe('{"echo":"***, ***"}');
    expect(hide(JSON.stringify(JSON.stringify({ echo: 'pass"word' })))).not.toContain('word');
  });

  test('[R-16] one that holds another is hidden whole', () => {
    expect(createHide(['key-1', 'key-1-and-more'])('key-1-and-more, key-1')).toBe('***, ***');
  });

  test('leaves alone what is too short to be a secret', () => {
    expect(createHide(['x', 'no', ''])('no exit')).toBe('no exit');
  });

  test('[R-16] hides the user info of any address', () => {
    const hide = createHide([]);
    expect(hide('via http://me:pass@proxy:80/x and https://token@host')).toBe(
      'via http://***@proxy:80/x and https://***@host',
    );
    expect(hide('http://me@corp:pass@proxy')).toBe('http://***@proxy');
    expect(hide('write to me@example.com or see http://host/a@b')).toBe(
      'write to me@example.com or see http://host/a@b',
    );
    expect(hide('{"url":"http://host","mail":"me@example.com"}')).toBe('{"url":"http://host","mail":"me@example.com"}');
  });
});

test('[R-16] a hiding logger hides in the message and in the facts', () => {
  const logged: unknown[] = [];
  const log = hidingLogger((...line) => logged.push(line), createHide(['secret']));
  log('debug', 'a secret', { deep: ['secret', { 'secret key': 7 }] });
  log('warn', 'nothing');
  expect(logged).toEqual([
    ['debug', 'a ***', { deep: ['***', { '*** key': 7 }] }],
    ['warn', 'nothing'],
  ]);
});
