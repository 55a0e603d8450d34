import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { textValue } from './front-matter.ts';
import { entriesOf, type FileSource, isFolder, readMarkdown } from './markdown-files.ts';
import { type PromptFile, promptFile } from './prompt-file.ts';

const SKILL_FILE = 'SKILL.md';

/** The skills in a folder: each is a subfolder with a SKILL.md, and has its name. */
export function readSkills(folder: string, source: FileSource): PromptFile[] {
  return entriesOf(folder, source).flatMap((entry) => {
    const path = join(folder, entry.name);
    return isFolder(entry, path) ? (readSkill(join(path, SKILL_FILE), source) ?? []) : [];
  });
}

/** Reads one skill file. Null when it is missing or cannot be used. */
export function readSkill(path: string, source: FileSource): PromptFile | null {
  if (!existsSync(path)) return null;
  const file = readMarkdown(path, source);
  if (!file) return null;
  const name = basename(dirname(path));
  const title = textValue(file, 'name');
  if (file.body.trim() === '') source.notes.warn(path, 'has no text, so that the skill says nothing');
  return promptFile(file, source, {
    kind: 'skill',
    name,
    aliases: title === undefined || title === name ? [] : [title],
  });
}
