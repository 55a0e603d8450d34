import { expect, test } from 'vitest';
import { findMessage, storedSession } from '../../../src/sessions/stored/stored-session.ts';
import { loadedFrom, user } from '../support.ts';

const leaves = Array.from({ length: 30 }, (_, at) => `${String(at).padStart(4, '0')}-leaf`);
const entries = [user('root', 'hi'), ...leaves.map((uuid) => user(uuid, uuid, { parent: 'root' }))];
const session = storedSession({ sessionId: 's', path: '/s.jsonl' }, loadedFrom(entries));

test('a message that is not there: the newest leaves are named, and all are among the facts', () => {
  const newest = leaves.slice(-8).join(', ');
  expect(() => findMessage(session, 'nobody')).toThrow(
    expect.objectContaining({
      message: `There is no message 'nobody' in session s. Its branches end in: ${newest} and 22 more`,
      facts: { uuid: 'nobody', leaves },
    }),
  );
});

test('what is too short to begin a uuid is said to be', () => {
  expect(findMessage(session, '0003').id).toBe('0003-leaf');
  expect(() => findMessage(session, '000')).toThrow('the beginning of a uuid needs 4 characters or more');
});
