/**
 * What the keyboard, the clipboard or the terminal itself sends.
 *
 * - `text`: typed characters, whole code points; also what an input method commits.
 * - `key`: a key by its name: `enter`, `ctrl+x`, `alt+shift+b`, `shift+up`. Modifiers come in the order ctrl, alt,
 *   shift, super. A plain character is text, never a key.
 * - `paste`: what the terminal brackets as pasted, as it came. `isCut`: it was longer than Heddle takes.
 * - `focus`: the window of the terminal got or lost the focus.
 * - `reply`: the terminal's answer to a question about itself.
 */
export type InputEvent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'key'; readonly key: string }
  | { readonly type: 'paste'; readonly text: string; readonly isCut: boolean }
  | { readonly type: 'focus'; readonly isFocused: boolean }
  | { readonly type: 'reply'; readonly sequence: string };
