/** What the page shows: it stands in the fragment of its address, so that it can be stored, sent, and left again. */
export interface PageRoute {
  session: string | null;
  agent: string | null;
  /** A message. */
  message: string | null;
}

export function routeNow(): PageRoute {
  const [, session = null, agent = null, message = null] =
    /^#\/s\/([0-9a-f-]{36})(?:\/a\/([\w@-]+))?(?:\/m\/([\w:.-]+))?/.exec(location.hash) ?? [];
  return { session, agent, message };
}

export function addressOf({ session, agent, message }: Partial<PageRoute>): string {
  if (!session) return '#/';
  return `#/s/${session}${agent ? `/a/${agent}` : ''}${message ? `/m/${message}` : ''}`;
}

export function go(route: Partial<PageRoute>): void {
  location.hash = addressOf(route);
}

/** Changes the address without a step in the history. */
export function note(route: Partial<PageRoute>): void {
  history.replaceState(null, '', addressOf(route));
}
