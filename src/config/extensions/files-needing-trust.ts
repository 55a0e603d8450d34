import { createHash } from 'node:crypto';
import { join, relative } from 'node:path';
import { readFrontMatter } from './front-matter.ts';
import { type ActingPart, actingParts, entriesOf, type FileSource, markdownFiles, readText } from './markdown-files.ts';

/** An extension file of a project that would run, allow or choose something. */
export interface ActingFile {
  /** Relative to the project. */
  file: string;
  parts: ActingPart[];
  /** Of all that it says: what it asks for depends on its text, too. */
  hash: string;
}

/** The skills, commands and agents of a project that act only with trust (ruling G1). Most projects have none. */
export function actingFiles(cwd: string): ActingFile[] {
  const folder = (kind: string) => join(cwd, '.claude', kind);
  const paths = [
    ...markdownFiles(folder('agents'), SOURCE, { nested: true }),
    ...markdownFiles(folder('commands'), SOURCE, { nested: true }),
    ...entriesOf(folder('skills'), SOURCE).map(({ name }) => join(folder('skills'), name, 'SKILL.md')),
  ];
  return paths.flatMap((path) => {
    const text = readText(path, SOURCE);
    const parts = text === null ? [] : actingParts(readFrontMatter(text));
    if (text === null || parts.length === 0) return [];
    return [{ file: relative(cwd, path), parts, hash: createHash('sha256').update(text).digest('hex') }];
  });
}

/** What cannot be read does not act either. */
const SOURCE: FileSource = { scope: 'project', confinedTo: null, notes: { warn() {}, ignore() {} } };
