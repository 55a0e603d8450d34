import type { SessionLink } from '../stage/session-link.ts';
import type { SessionTarget } from '../stage/stage.ts';

export interface SessionBefore {
  link: SessionLink | null;
  /** Null: it has no id yet, so nothing was said in it. */
  sessionId: string | null;
  isBusy: boolean;
}

/** Ends a session, and opens another one with `open`; where that fails, the first one is opened again. */
export async function changeSession(
  { link, sessionId, isBusy }: SessionBefore,
  target: SessionTarget,
  open: (target: SessionTarget | undefined) => Promise<void>,
): Promise<void> {
  if (isBusy) await link?.call({ subtype: 'interrupt' }).catch(() => {});
  await link?.end().catch(() => {});
  try {
    await open(target);
  } catch (error) {
    await open(sessionId === null ? undefined : { resume: sessionId });
    throw error;
  }
}
