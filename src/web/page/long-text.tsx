import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ansiSpans } from '../tree/ansi.ts';
import type { EntryItem, Of, Source, Way } from './source.ts';

export const CUT = 4096;

/** Where a text stands, so that the rest of it can be asked for. */
export interface TextPosition {
  source: Source;
  of: Of;
  item: EntryItem;
  path: Way;
}

/** A text that may be long: its beginning, and all of it on request. */
export function LongText({
  text,
  place,
  draw,
}: {
  text: string;
  place: TextPosition;
  draw: (text: string) => ComponentChildren;
}): VNode {
  const [whole, setWhole] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const { source, of, item, path } = place;
  const cut = item.cuts.find((each) => isSame(each.path, wayOf(path)));
  const chars = cut?.chars ?? text.length;
  const shown = whole ?? (text.length > CUT ? text.slice(0, CUT) : text);
  const isCut = whole === null && chars > shown.length;
  const showAll = async () => {
    try {
      setWhole(cut && item.n !== undefined ? await source.text(of, item.n, cut.path) : text);
    } catch (error) {
      setProblem((error as Error).message);
    }
  };
  return (
    <>
      {draw(shown)}
      {isCut && (
        <button type="button" class="more" onClick={showAll}>
          show all {chars.toLocaleString('en')} characters
        </button>
      )}
      {problem && <p class="problem">{problem}</p>}
    </>
  );
}

/** A plain content has no block around it in the entry. */
function wayOf(path: Way): Way {
  return path.length === 3 && path[1] === 'content' && path[2] === 'text' ? ['message', 'content'] : path;
}

function isSame(a: Way, b: Way): boolean {
  return a.length === b.length && a.every((key, at) => key === b[at]);
}

/** The output of a command, with the colours that it asked for. */
export function Output({
  text,
  place,
  label = 'output',
}: {
  text: string;
  place: TextPosition;
  label?: string;
}): VNode {
  return (
    <LongText
      text={text}
      place={place}
      draw={(shown) => (
        <pre class="out" tabIndex={0} aria-label={label}>
          {ansiSpans(shown).map(({ text: piece, classes }, at) =>
            classes === '' ? (
              piece
            ) : (
              <span key={at} class={classes}>
                {piece}
              </span>
            ),
          )}
        </pre>
      )}
    />
  );
}

/** An image of a message; anything but png, jpeg, gif and webp is named only. */
export function Picture({ source, of, item, path }: TextPosition): VNode {
  const [address, setAddress] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const way = JSON.stringify(path);
  useEffect(() => {
    let isGone = false;
    source.image(of, item.n ?? -1, JSON.parse(way)).then(
      (found) => isGone || setAddress(found),
      (error) => isGone || setProblem(error.message),
    );
    return () => {
      isGone = true;
    };
  }, [way, item.n]);
  if (problem !== null) return <p class="named">[image: {problem}]</p>;
  return address === null ? (
    <p class="named">[image]</p>
  ) : (
    <img class="picture" src={address} alt="attached to the message" />
  );
}
