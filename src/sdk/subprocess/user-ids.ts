import { execFileSync } from 'node:child_process';
import { HeddleError } from '../../wire/errors.ts';

export interface UserIds {
  uid: number;
  gid: number;
}

/** The ids of a user of the system. Throws `invalid_option` for an unknown user. */
export function userIds(user: string | number): UserIds {
  return { uid: askId('-u', user), gid: askId('-g', user) };
}

function askId(which: '-u' | '-g', user: string | number): number {
  try {
    const answer = execFileSync('id', [which, '--', String(user)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return Number(answer);
  } catch (cause) {
    throw new HeddleError('invalid_option', `options.user: there is no user '${user}'`, {
      facts: { option: 'user' },
      cause,
    });
  }
}
