/**
 * What the text at the caret asks to be completed.
 *
 * - `command`: the name of a command, `/` at the beginning of the text.
 * - `argument`: the argument of a command.
 * - `mention`: a file, an agent or a resource after `@`.
 * - `shell`: a word of a shell command, which begins with `!`.
 */
export type Asked =
  | { readonly kind: 'command'; readonly query: string; readonly from: number; readonly to: number }
  | {
      readonly kind: 'argument';
      readonly command: string;
      readonly query: string;
      readonly from: number;
      readonly to: number;
    }
  | {
      readonly kind: 'mention';
      readonly query: string;
      readonly isQuoted: boolean;
      readonly from: number;
      readonly to: number;
    }
  | { readonly kind: 'shell'; readonly query: string; readonly from: number; readonly to: number };

/** As long as a path may be. */
const MAX_QUERY = 1000;

/** Null where nothing is asked for: inside of a word, with a selection. */
export function askedAt({ text, caret, anchor }: { text: string; caret: number; anchor: number | null }): Asked | null {
  if (anchor !== null) return null;
  if (text.startsWith('!')) return shellAt(text, caret);
  return mentionAt(text, caret) ?? commandAt(text, caret);
}

/** At the end of a shell command: its last word, which may be the beginning of a path. */
function shellAt(text: string, caret: number): Asked | null {
  if (caret !== text.length || text.includes('\n') || !/^!!?\s*\S/.test(text)) return null;
  const query = /(?:^!!?|\s)([^\s"'`$;|&<>()]*)$/.exec(text)?.[1] ?? '';
  return { kind: 'shell', query, from: caret - query.length, to: caret };
}

function mentionAt(text: string, caret: number): Asked | null {
  const before = text.slice(Math.max(0, caret - MAX_QUERY), caret);
  const quoted = /(?:^|[\s(])@"([^"\n]*)$/.exec(before);
  const plain = quoted ? null : /(?:^|[\s(])@([^\s"]*)$/.exec(before);
  const query = quoted?.[1] ?? plain?.[1];
  if (query === undefined) return null;
  // The word continues after the caret; a choice replaces all of it.
  const rest = (quoted ? /^[^"\n]*"?/ : /^[^\s"]*/).exec(text.slice(caret, caret + MAX_QUERY))?.[0] ?? '';
  const from = caret - query.length - (quoted ? 2 : 1);
  return { kind: 'mention', query, isQuoted: quoted !== null, from, to: caret + rest.length };
}

function commandAt(text: string, caret: number): Asked | null {
  const name = /^\/([^\s/]*)/.exec(text);
  if (!name) return null;
  const end = name[0].length;
  if (caret <= end) return caret === 0 ? null : { kind: 'command', query: text.slice(1, caret), from: 0, to: end };
  const given = text.slice(end, caret);
  const start = /^[ \t]+/.exec(given)?.[0].length ?? 0;
  // A list completes one argument, on the line of the command.
  if (start === 0 || given.includes('\n')) return null;
  const query = given.slice(start);
  return { kind: 'argument', command: name[1] ?? '', query, from: end + start, to: caret };
}
