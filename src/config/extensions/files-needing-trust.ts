import { createHash } from 'node:crypto';
import { join, relative } from 'node:path';
import { readFrontMatter } from './front-matter.ts';
import {
  entriesOf,
  type FileSource,
  markdownFiles,
  type PartNeedingTrust,
  partsNeedingTrust,
  readText,
} from './markdown-files.ts';

/** An extension file of a project that would run, allow or select something. */
export interface FileNeedingTrust {
  /** Relative to the project. */
  file: string;
  parts: PartNeedingTrust[];
  /** The hash of the whole file: its text can also request something. */
  hash: string;
}

/** The skills, commands and agents of a project that Heddle uses only with trust. Most projects have none. */
export function filesNeedingTrust(cwd: string): FileNeedingTrust[] {
  const folder = (kind: string) => join(cwd, '.claude', kind);
  const paths = [
    ...markdownFiles(folder('agents'), SOURCE, { nested: true }),
    ...markdownFiles(folder('commands'), SOURCE, { nested: true }),
    ...entriesOf(folder('skills'), SOURCE).map(({ name }) => join(folder('skills'), name, 'SKILL.md')),
  ];
  return paths.flatMap((path) => {
    const text = readText(path, SOURCE);
    const parts = text === null ? [] : partsNeedingTrust(readFrontMatter(text));
    if (text === null || parts.length === 0) return [];
    return [{ file: relative(cwd, path), parts, hash: createHash('sha256').update(text).digest('hex') }];
  });
}

/** Problems are ignored: a file that cannot be read has no effect either. */
const SOURCE: FileSource = { scope: 'project', confinedTo: null, notes: { warn() {}, ignore() {} } };
