import { basename } from 'node:path';
import { switchValue, textValue } from './front-matter.ts';
import { type FileSource, markdownFiles, readMarkdown } from './markdown-files.ts';

/** A style: how the agent words its answers, or another role for it. */
export interface OutputStyle {
  name: string;
  description: string;
  prompt: string;
  /** Whether the instructions for software work stay in the prompt. */
  keepsInstructions: boolean;
  scope: FileSource['scope'] | 'bundled';
}

/** The styles in a folder. */
export function readOutputStyles(folder: string, source: FileSource): OutputStyle[] {
  return markdownFiles(folder, source, { nested: false }).flatMap((path) => {
    const file = readMarkdown(path, source);
    if (!file) return [];
    const name = textValue(file, 'name') ?? basename(path, '.md');
    return [
      {
        name: source.plugin ? `${source.plugin.name}:${name}` : name,
        description: textValue(file, 'description') ?? '',
        prompt: file.body.trim(),
        keepsInstructions: switchValue(file, 'keep-coding-instructions') === true,
        scope: source.scope,
      },
    ];
  });
}
