import { existsSync } from 'node:fs';
import { replacePrivateText } from '../../util/files/replace-file.ts';
import { SCOPES, type Tokens } from '../ports/tokens.ts';

/** The tenant of a server without a database. */
export const LOCAL_TENANT = 'local';

/** Writes a token that may do everything to a file that only the user can read, when there is no token yet. */
export async function firstToken(tokens: Tokens, path: string): Promise<string> {
  const known = await tokens.list(LOCAL_TENANT);
  if (known.length > 0 && existsSync(path)) return path;
  if (known.some(({ name }) => name !== NAME)) return path;
  for (const { id } of known) await tokens.revoke(LOCAL_TENANT, id); // its file is gone: nobody has it any more
  const { secret } = await tokens.create({
    ...{ tenant: LOCAL_TENANT, name: NAME, scopes: [...SCOPES], sessionId: null, expiresAt: null },
  });
  await replacePrivateText(path, `${secret}\n`);
  return path;
}

const NAME = 'first admin token';
