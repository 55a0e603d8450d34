import { boolean, type InputOf, integer, objectInput, oneOf, optional, string } from './input-schema.ts';
import type { Tool } from './tool.ts';

const lines = (text: string) => optional(integer(text, { minimum: 0 }));

const input = objectInput({
  pattern: string('Regular expression (Rust syntax)'),
  path: optional(string('File or directory; default: the working directory')),
  glob: optional(string('Only files like *.js or **/*.{ts,tsx}')),
  output_mode: optional(
    oneOf(['content', 'files_with_matches', 'count'], 'Matching lines, file names (default), or counts per file'),
  ),
  '-B': lines('Lines before each match (content)'),
  '-A': lines('Lines after each match (content)'),
  '-C': lines('Lines around each match (content)'),
  context: lines('Same as -C'),
  '-n': optional(boolean('Line numbers (content); default true')),
  '-i': optional(boolean('Ignore case')),
  '-o': optional(boolean('Only what matches (content)')),
  type: optional(string('Only files of a type: js, py, rust')),
  head_limit: lines('The first N lines or files; default 250, 0 for all'),
  offset: lines('Skip N lines or files'),
  multiline: optional(boolean('Matches may span lines, and . a line break')),
});

export type GrepInput = InputOf<typeof input>;

export const grepTool: Tool<GrepInput> = {
  name: 'Grep',
  description: `Searches file contents by regular expression, with ripgrep.

- Escape literal braces and parentheses: \`interface\\{\\}\` finds interface{}.
- Narrow down by glob, type or path. Files ignored by .gitignore and binary files are left out.
- Prefer this to grep or rg in Bash.`,
  input,
  access: ({ path }, workspace) => ({ kind: 'read', paths: [workspace.resolve(path ?? '.')] }),
  isConcurrencySafe: () => true,
  async run(search, context) {
    const { grep } = await import('./grep-run.ts');
    return grep(search, context);
  },
};
