import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

const KEYS: readonly (readonly [string, string])[] = [
  ['j, k, ↓, ↑', 'the next and the previous line of the tree'],
  ['l, h, →, ←', 'open, close, to the line above'],
  ['g g, Home; G, End', 'the first and the last line'],
  ['Enter', 'open or close a line'],
  ['/', 'search'],
  ['e', 'edit the chosen prompt and send it again'],
  ['Esc', 'close the details'],
  ['?', 'this list'],
];

export function HelpDialog({ close }: { close: () => void }): VNode {
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => box.current?.showModal(), []);
  return (
    <dialog ref={box} onClose={close} aria-label="keys">
      <h2>Keys</h2>
      <dl>
        {KEYS.map(([key, meaning]) => (
          <div key={key}>
            <dt>{key}</dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <button type="button" onClick={() => box.current?.close()}>
        close
      </button>
    </dialog>
  );
}
