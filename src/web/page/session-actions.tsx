import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { SessionModel } from '../tree/session-model.ts';
import { go } from './page-address.ts';
import type { RowsPage, Source } from './source.ts';

/** What can be done with a session as a whole. */
export function SessionActions({
  source,
  id,
  page,
}: {
  source: Source;
  id: string;
  page: RowsPage;
  model: SessionModel;
}): VNode | null {
  const [asked, setAsked] = useState<'title' | 'tag' | 'delete' | null>(null);
  const [text, setText] = useState('');
  const [note, setNote] = useState('');
  const base = `/v1/home/sessions/${id}`;
  const act = async (work: () => Promise<unknown>, done: string) => {
    try {
      await work();
      setNote(done);
      setAsked(null);
    } catch (error) {
      setNote((error as Error).message);
    }
  };
  const submit = (event: Event) => {
    event.preventDefault();
    if (asked === 'title') act(() => source.send('POST', `${base}/rename`, { title: text }), 'renamed');
    if (asked === 'tag') act(() => source.send('POST', `${base}/tag`, { tag: text === '' ? null : text }), 'tagged');
  };
  const ask = (what: 'title' | 'tag') => {
    setAsked(what);
    setText((what === 'title' ? page.title : page.tag) ?? '');
    setNote('');
  };
  const remove = () =>
    act(async () => {
      await source.send('DELETE', base);
      go({});
    }, 'in the trash');
  return (
    <div class="session-actions">
      {page.tag && <span class="tag">{page.tag}</span>}
      {source.canChange && (
        <>
          <button type="button" onClick={() => ask('title')}>
            rename
          </button>
          <button type="button" onClick={() => ask('tag')}>
            tag
          </button>
          <button
            type="button"
            onClick={() => act(() => source.send('POST', `${base}/archive`, { archived: true }), 'archived')}
          >
            archive
          </button>
          <button
            type="button"
            onClick={() => act(() => source.send('POST', `${base}/archive`, { archived: false }), 'not archived')}
          >
            unarchive
          </button>
          <button type="button" onClick={() => setAsked('delete')}>
            delete
          </button>
        </>
      )}
      <button type="button" onClick={() => print()}>
        print
      </button>
      {(asked === 'title' || asked === 'tag') && (
        <form onSubmit={submit}>
          <input value={text} aria-label={asked} onInput={(event) => setText(event.currentTarget.value)} />
          <button type="submit">save</button>
        </form>
      )}
      {asked === 'delete' && (
        <span>
          Move it to the trash?{' '}
          <button type="button" onClick={remove}>
            move
          </button>{' '}
          <button type="button" onClick={() => setAsked(null)}>
            keep
          </button>
        </span>
      )}
      {note !== '' && (
        <span role="status" class="note">
          {note}
        </span>
      )}
    </div>
  );
}
