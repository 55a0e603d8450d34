import { relative, sep } from 'node:path';
import { type FileSource, markdownFiles, readMarkdown } from './markdown-files.ts';
import { type PromptFile, promptFile } from './prompt-file.ts';

/** The commands in a folder, named after their files. A subfolder is a namespace: `git/commit.md` is `git:commit`. */
export function readCommands(folder: string, source: FileSource): PromptFile[] {
  return markdownFiles(folder, source, { nested: true }).flatMap((path) => readCommand(path, folder, source) ?? []);
}

/** Reads one command file. Null when it cannot be used. */
export function readCommand(path: string, folder: string, source: FileSource): PromptFile | null {
  const file = readMarkdown(path, source);
  if (!file) return null;
  const parts = relative(folder, path).replace(/\.md$/, '').split(sep);
  const name = parts.join(':');
  const [last = name] = parts.slice(-1);
  return promptFile(file, source, { kind: 'command', name, aliases: last === name ? [] : [last] });
}
