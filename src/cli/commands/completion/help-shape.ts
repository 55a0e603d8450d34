import { cutToWidth } from '../../../util/text/display-width.ts';

/** An option as a help text tells it. */
export interface HelpOption {
  name: string;
  /** `-s` of `--scope`. */
  short?: string;
  /** The word that stands for its value, such as `DIR` or `user|project|local`; null: it takes none. */
  value: string | null;
  /** The beginning of its description; empty where another text describes it. */
  text: string;
}

/** What completion reads out of the help text of a command: the one table of its words and options. */
export interface HelpShape {
  /** Each usage line without its options, such as `['set', 'KEY', 'VALUE']`. */
  usages: readonly (readonly string[])[];
  options: readonly HelpOption[];
  /** The words of a group with their descriptions: `list`, `show`. */
  words: ReadonlyMap<string, string>;
}

/** `command`: the words that call it, such as `heddle sessions list`. */
export function readHelp(help: string, command: string): HelpShape {
  const [text = ''] = help.split('\nExamples:\n');
  const [head = ''] = text.split('\n\n');
  const usages = joinedUsages(head);
  const described = optionEntries(text);
  const named = new Map<string, HelpOption>();
  for (const option of described) named.set(option.name, option);
  for (const usage of usages) {
    for (const { name, value } of optionsInUsage(usage)) {
      const known = [...named.values()].find((option) => option.name === name || option.short === name);
      if (!known) named.set(name, { name, value, text: '' });
      else if (known.value === null || value?.includes('|')) named.set(known.name, { ...known, value });
    }
  }
  for (const name of optionsOfRun(text)) {
    if (!named.has(name)) named.set(name, { name, value: null, text: '' });
  }
  return {
    usages: usages.map((usage) => wordsOfUsage(usage, command)),
    options: [...named.values()],
    words: wordEntries(text),
  };
}

/** Usage lines; one that was broken into two begins with blanks only. */
function joinedUsages(head: string): string[] {
  const usages: string[] = [];
  for (const line of head.split('\n')) {
    const text = line.replace(/^Usage:/, '').trim();
    if (text.startsWith('heddle')) usages.push(text);
    else if (usages.length > 0) usages[usages.length - 1] += ` ${text}`;
  }
  return usages;
}

/** `[-s user|project|local]`, `--tool NAME`, `[--output FILE [--force]]`. */
function optionsInUsage(usage: string): { name: string; value: string | null }[] {
  return [...usage.matchAll(/(?<![\w-])(--?[a-z][\w-]*)(?: ([^\s[\]-][^\s[\]]*))?/g)].map(([, name = '', value]) => ({
    name,
    value: value === undefined || value === '|' ? null : value,
  }));
}

/** The words of a usage line in their order, without options: `[HOST:][SESSION]`, `SESSION…`, `KEY`, `bash|zsh`. */
function wordsOfUsage(usage: string, command: string): string[] {
  let text = usage.slice(command.length).replace('[options]', '');
  // Brackets around options, from the inside out; `[DIR | --reset]` leaves DIR.
  for (let before = ''; before !== text; ) {
    before = text;
    text = text.replace(/\[([^[\]]*)\]/g, (_all, inner: string) => {
      const words = inner.split(/ \| /).filter((each) => !/^\s*-/.test(each));
      return words.length === inner.split(/ \| /).length ? `\u27e8${inner}\u27e9` : words.join('|');
    });
  }
  return text
    .replace(/--[\w-]+ [A-Z]+/g, ' ')
    .replace(/[\u27e8\u27e9]/g, '')
    .split(/\s+/)
    .filter((word) => word !== '' && !word.startsWith('-'));
}

/** `  -s, --scope SCOPE   local (default …`, also where the description stands on the next line. */
const OPTION = /^ {2}(?:(-\w), )?(--[\w-]+)(?:, --[\w-]+)*(?: ('[^']*'|<[^>]*>|\[[^\]]*\]|[^\s-]\S*))?(?: {2,}(.*))?$/;

function optionEntries(text: string): HelpOption[] {
  const lines = text.split('\n');
  return lines.flatMap((line, at) => {
    const [, short, name, value, described = ''] = OPTION.exec(line) ?? [];
    if (name === undefined) return [];
    return {
      name,
      ...(short !== undefined && { short }),
      value: value === undefined ? null : value.replace(/^[<['"]|[>\]'"]$/g, ''),
      text: briefly([described, ...continuation(lines, at)].join(' ')),
    };
  });
}

/** The lines below an entry that belong to its description. */
function continuation(lines: readonly string[], at: number): string[] {
  const end = lines.findIndex((line, other) => other > at && !/^ {5,}\S/.test(line));
  return lines.slice(at + 1, end < 0 ? undefined : end).map((line) => line.trim());
}

const WIDEST = 72;

/** A description up to its first semicolon: completion shows one line. */
function briefly(text: string): string {
  const [first = ''] = text.trim().split(/;(?![^(]*\))/);
  return cutToWidth(first, WIDEST);
}

/** `Of a run: --model, --settings.`: options that mean what they mean for a run. */
function optionsOfRun(text: string): string[] {
  return text
    .split('\n\n')
    .filter((block) => block.startsWith('Of a run'))
    .flatMap((block) => block.match(/--[\w-]+/g) ?? []);
}

/** `  list        the sessions of this directory`. */
function wordEntries(text: string): Map<string, string> {
  const lines = text.split('\n');
  const found = lines.flatMap((line, at): [string, string][] => {
    const [, word, described = ''] = /^ {2}([a-z][\w-]*)(?: [^\s-]\S*)* {2,}(\S.*)$/.exec(line) ?? [];
    return word === undefined ? [] : [[word, briefly([described, ...continuation(lines, at)].join(' '))]];
  });
  return new Map(found);
}
