import { serverSource } from './server-source.ts';
import { type Source, SourceError } from './source.ts';

const STORED = 'heddle-page';

/**
 * Trades the code in the fragment of the address for a token, which only this tab has. The code leaves the address at
 * once, before anything else is asked for.
 */
export async function openPage(): Promise<Source> {
  const [, code, rest = ''] = /^#code=([\w-]+)(.*)$/.exec(location.hash) ?? [];
  if (code !== undefined) {
    history.replaceState(null, '', `#${rest === '' ? '/' : rest}`);
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch('/v1/page-tokens', { method: 'POST', headers, body: JSON.stringify({ code }) });
    const made = await answer.json();
    if (!answer.ok)
      throw new SourceError(made.error?.message ?? 'The code is not known', { status: answer.status, code: '' });
    sessionStorage.setItem(STORED, JSON.stringify({ token: made.token, isReadOnly: made.read_only }));
  }
  const stored = sessionStorage.getItem(STORED);
  if (stored === null) {
    throw new SourceError('This page needs a code: open it with heddle web', {
      status: 401,
      code: 'not_authenticated',
    });
  }
  const { token, isReadOnly } = JSON.parse(stored);
  return serverSource(token, { canChange: !isReadOnly });
}
