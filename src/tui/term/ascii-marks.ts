import type { Terminal } from './terminal.ts';

/** The marks of rows, each one column wide, and what stands for them where a font may lack them. */
const MARKS: Readonly<Record<string, string>> = {
  ...{ '\u276f': '>', '\u25cf': '*', '\u25cb': 'o', '\u25d0': '@', '\u2713': 'v', '\u2717': 'x', '\u273b': '*' },
  ...{ '\u22ef': '.', '\u2026': '~', '\u25b8': '>', '\u258f': '|', '\u2022': '-', '\u00b7': '-', '\u25c0': '<' },
  ...{ '\u2212': '-', '\u2191': '^', '\u2193': 'v', '\u2192': '>', '\u2190': '<', '\u201c': '"', '\u201d': '"' },
  ...{ '\u2500': '-', '\u2502': '|', '\u251c': '|', '\u2514': '`', '\u252c': '+', '\u2588': '#' },
  ...Object.fromEntries(
    [...'\u280b\u2819\u2839\u2838\u283c\u2834\u2826\u2827\u2807\u280f'].map((dots, at) => [
      dots,
      '|/-\\'[at % 4] ?? '|',
    ]),
  ),
};

const ANY_MARK = new RegExp(`[${Object.keys(MARKS).join('')}]`, 'g');

/** The same terminal, for one that has hardly more than ASCII: marks are written as characters that it has. */
export function withAsciiMarks(terminal: Terminal): Terminal {
  return {
    get size() {
      return terminal.size;
    },
    write: (text) => terminal.write(text.replaceAll(ANY_MARK, (mark) => MARKS[mark] ?? mark)),
    on: (event, listener) => terminal.on(event, listener),
    enter: () => terminal.enter(),
    leave: () => terminal.leave(),
    keep: (name, mode) => terminal.keep(name, mode),
    replied: (reply) => terminal.replied(reply),
    suspend: () => terminal.suspend(),
    close: () => terminal.close(),
  };
}
