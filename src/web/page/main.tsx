import { render, type VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { fileSource } from './file-source.ts';
import { HelpDialog } from './help-dialog.tsx';
import { openPage } from './open-page.ts';
import { type PageRoute, routeNow } from './page-address.ts';
import { SearchBox } from './search-box.tsx';
import { SessionList } from './session-list.tsx';
import { SessionPage } from './session-page.tsx';
import type { Source } from './source.ts';

function App({ source }: { source: Source }): VNode {
  const [route, setRoute] = useState<PageRoute>(routeNow());
  const [isHelpOpen, setIsHelpOpen] = useState(false);
  const [isListOpen, setIsListOpen] = useState(route.session === null);

  useEffect(() => {
    const onHash = () => {
      setRoute(routeNow());
      setIsListOpen(routeNow().session === null);
    };
    const onKey = (event: KeyboardEvent) => {
      const isTyping = (event.target as HTMLElement).closest?.('input,textarea,select') !== null;
      if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === '?') setIsHelpOpen(true);
      if (event.key === '/') {
        event.preventDefault();
        (document.getElementById('search') ?? document.getElementById('filter'))?.focus();
      }
    };
    addEventListener('hashchange', onHash);
    addEventListener('keydown', onKey);
    return () => {
      removeEventListener('hashchange', onHash);
      removeEventListener('keydown', onKey);
    };
  }, []);

  const { session } = route;
  const isFile = source.kind === 'file';
  return (
    <div class={`app${isFile ? ' file' : ''}${isListOpen ? ' list-open' : ''}`}>
      {!isFile && (
        <div class="side">
          <header>
            <a href="#/" class="name">
              Heddle
            </a>
            <button type="button" onClick={() => setIsHelpOpen(true)} aria-label="keys">
              ?
            </button>
          </header>
          <SearchBox source={source} id={null} />
          <SessionList source={source} chosen={session} />
        </div>
      )}
      {session === null ? (
        <main class="welcome">
          <h1>Sessions</h1>
          <p>Choose a session, or search all of them.</p>
        </main>
      ) : (
        <SessionPage key={session + (route.agent ?? '')} source={source} route={{ ...route, session }} />
      )}
      {!isFile && session !== null && (
        <button type="button" class="to-list" onClick={() => setIsListOpen(!isListOpen)} aria-expanded={isListOpen}>
          sessions
        </button>
      )}
      {isHelpOpen && <HelpDialog close={() => setIsHelpOpen(false)} />}
    </div>
  );
}

async function start(): Promise<void> {
  const root = document.getElementById('page');
  if (!root) return;
  try {
    const source = (await fileSource(document)) ?? (await openPage());
    render(<App source={source} />, root);
  } catch (error) {
    render(
      <p class="problem" role="alert">
        {(error as Error).message}
      </p>,
      root,
    );
  }
}

start();
