import { resolve } from 'node:path';
import { commandCwd, type Policy } from '../policy.ts';
import { programName } from '../shell/program-patterns.ts';
import { everyCommand, isGlob, type ShellScript, type Word } from '../shell/shell-script.ts';

/** Where a script may be when it resolves a path: the directories it changes to, or anywhere. */
export interface ScriptDirectories {
  directories: readonly string[];
  /** Those that the script changes to. */
  entered: readonly string[];
  anywhere: boolean;
  /** It makes links: a path may lead elsewhere by the time that it is used. */
  links: boolean;
  /** The names that lie in them; null where they are not known, or too many. */
  names(): ReadonlySet<string> | null;
}

const MAX_PLACES = 32;

export function directoriesOf(script: ShellScript, policy: Policy): ScriptDirectories {
  const directories = new Set([commandCwd(policy)]);
  let anywhere = false;
  let links = false;
  for (const { words, assigns } of everyCommand(script)) {
    if (assigns.some(({ name }) => name === 'CDPATH' || name === 'HOME')) anywhere = true;
    if (makesLinks(words, (word) => holdsNoLink(word, policy))) links = true;
    if (words[0] !== 'cd' && words[0] !== 'pushd' && words[0] !== 'popd') continue;
    const target = words.slice(1).find((word) => typeof word !== 'string' || !/^-(?:[LPe@]+|-)$/.test(word));
    const known = target === undefined ? (policy.home ?? null) : textOf(target, policy);
    if (known === null || known === '-' || words[0] === 'popd' || directories.size > MAX_PLACES) anywhere = true;
    else for (const each of [...directories]) directories.add(resolve(each, known));
  }
  const all = [...directories];
  let names: ReadonlySet<string> | null | undefined;
  const lookUp = () => (names ??= anywhere || links ? null : namesOf(all, policy));
  return { directories: all, entered: all.slice(1), anywhere, links, names: lookUp };
}

/** Whether a copy of this path certainly holds no link. */
function holdsNoLink(word: Word, policy: Policy): boolean {
  if (typeof word === 'object' && !isGlob(word)) return false;
  const [text = ''] = typeof word === 'string' ? [word] : word.parts;
  const fixed =
    typeof word === 'string' ? word : typeof text === 'string' ? text.slice(0, text.lastIndexOf('/') + 1) : '';
  const files = policy.filesBelow?.(resolve(commandCwd(policy), fixed)) ?? null;
  return files?.every(({ kind }) => kind !== 'link') ?? false;
}

function makesLinks([name, ...words]: readonly Word[], holdsNone: (word: Word) => boolean): boolean {
  if (typeof name !== 'string') return false;
  const program = programName(name);
  if (/^(?:g?ln|link)$/.test(program)) return true;
  if (!/^g?cp$/.test(program)) return false;
  const isGiven = (option: RegExp) => words.some((word) => typeof word === 'string' && option.test(word));
  if (isGiven(/^(?:-\w*[sl]|--(?:symbolic|link))/)) return true;
  const mayCopy = isGiven(/^(?:-\w*[aRrdP]|--(?:archive|recursive|no-deref|preserve))/);
  return mayCopy && !words.every((word) => (typeof word === 'string' && word.startsWith('-')) || holdsNone(word));
}

/** A word whose text is known, with the home directory filled in; null for any other word. */
export function textOf(word: Word, { home }: Pick<Policy, 'home'>): string | null {
  if (typeof word === 'string') return word;
  const [first, ...rest] = word.parts;
  if (typeof first !== 'object' || first.any !== 'home' || home === undefined) return null;
  return rest.every((part) => typeof part === 'string') ? home + rest.join('') : null;
}

function namesOf(directories: readonly string[], { namesIn }: Policy): ReadonlySet<string> | null {
  const lists = directories.map((directory) => namesIn?.(directory) ?? null);
  const known = lists.filter((list) => list !== null);
  return known.length < lists.length ? null : new Set(known.flat());
}

/** Whether nothing of this name is there, so that it is no link: then its text alone tells what it would be. */
export function isNowhere(text: string, { names }: ScriptDirectories): boolean {
  const [first = ''] = text.replace(/^(?:\.\/+)+/, '').split('/');
  if (first === '' || first === '..' || first === '~') return false;
  return names()?.has(first) === false;
}
