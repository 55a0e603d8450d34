/** One plain instruction that the offline model can follow. */
export type Step =
  | { kind: 'read'; file: string }
  | { kind: 'list'; directory?: string; glob?: string }
  | { kind: 'find'; text: string; directory?: string }
  | { kind: 'run'; command: string }
  | { kind: 'write'; file: string; text: string }
  | { kind: 'replace'; from: string; to: string; file: string };

export type Instructions = { understood: true; steps: Step[] } | { understood: false; passage: string };

export const INSTRUCTION_FORMS = [
  'read FILE',
  'list files [in DIR] [matching GLOB]',
  'find TEXT [in DIR]',
  'run: COMMAND',
  'write FILE: TEXT',
  'replace A with B in FILE',
];

/**
 * Reads a prompt as instructions: one, or several joined by "then", on separate lines, or in a numbered list. Arguments
 * with spaces may be quoted; quoted text never ends a step. When one passage is not an instruction, the others may
 * depend on it, so none is followed.
 */
export function parseInstructions(prompt: string): Instructions {
  const steps: Step[] = [];
  for (const passage of splitSteps(prompt)) {
    const step = parseStep(passage);
    if (!step) return { understood: false, passage };
    steps.push(step);
  }
  return steps.length === 0 ? { understood: false, passage: prompt.trim() } : { understood: true, steps };
}

const QUOTED = String.raw`"[^"]*"|'[^']*'|\`[^\`]*\``;
const VERB = String.raw`(?:please\s+)?(?:(?:read|list|find|write|replace)\s|run(?::|\s+["'\`]))`;
const NUMBER = String.raw`(?:\d+[.)]|[-*\u2022])\s+`;
const THEN = String.raw`(?:and\s+)?then,?\s+`;
/** Where a step ends: "then" or a new line, but only before another instruction; a shell's `then` is left alone. */
const BOUNDARY = new RegExp(String.raw`(?:[,;.]?\s+${THEN}|\s*\n\s*(?:${NUMBER})?(?:${THEN})?)(?=${VERB})`, 'gi');
const QUOTED_PASSAGE = new RegExp(String.raw`(?<=^|[\s:=(])(?:${QUOTED})(?=$|[\s.,;:)])`, 'g');
const LEAD_IN = new RegExp(String.raw`^(?:\s+|${NUMBER}|${THEN}|(?:please|first|now|finally),?\s+)+`, 'i');

function splitSteps(prompt: string): string[] {
  const quoted = [...prompt.matchAll(QUOTED_PASSAGE)].map(({ index, 0: text }) => ({
    from: index,
    to: index + text.length,
  }));
  const isQuoted = (at: number) => quoted.some(({ from, to }) => at > from && at < to);
  const steps: string[] = [];
  let from = 0;
  for (const { index, 0: boundary } of prompt.matchAll(BOUNDARY)) {
    if (isQuoted(index)) continue;
    steps.push(prompt.slice(from, index));
    from = index + boundary.length;
  }
  steps.push(prompt.slice(from));
  return steps.map((step) => step.replace(LEAD_IN, '').trim()).filter((step) => step !== '');
}

/** An argument that ends where the rest of the pattern continues, and one without spaces. */
const ARGUMENT = `(${QUOTED}|.+?)`;
const WORD = String.raw`(${QUOTED}|\S+?)`;

const FORMS: readonly { form: RegExp; step: (...args: (string | undefined)[]) => Step }[] = [
  {
    form: new RegExp(String.raw`^read\s+(?:the\s+)?(?:file\s+)?${ARGUMENT}[.!]?$`, 'i'),
    step: (file) => ({ kind: 'read', file: unquote(file) }),
  },
  {
    form: new RegExp(
      String.raw`^list\s+(?:all\s+)?(?:the\s+)?files(?:\s+in\s+${ARGUMENT})?(?:\s+matching\s+${WORD})?[.!]?$`,
      'i',
    ),
    step: (directory, glob) => ({
      kind: 'list',
      ...(directory && { directory: unquote(directory) }),
      ...(glob && { glob: unquote(glob) }),
    }),
  },
  {
    form: new RegExp(String.raw`^find\s+(${QUOTED})[.!]?$`, 'i'),
    step: (text) => ({ kind: 'find', text: unquote(text) }),
  },
  {
    form: new RegExp(String.raw`^find\s+(${QUOTED}|.+)\s+in\s+${WORD}[.!]?$`, 'i'),
    step: (text, directory) => ({ kind: 'find', text: unquote(text), directory: unquote(directory) }),
  },
  { form: /^find\s+(.+)$/i, step: (text) => ({ kind: 'find', text: unquote(text) }) },
  { form: /^run(?::\s*|\s+(?=["'`]))(.+)$/is, step: (command) => ({ kind: 'run', command: unquote(command) }) },
  {
    form: new RegExp(String.raw`^write\s+(?:to\s+)?${ARGUMENT}\s*:\s?([\s\S]*)$`, 'i'),
    step: (file, text) => ({ kind: 'write', file: unquote(file), text: unquote(text) }),
  },
  {
    form: new RegExp(String.raw`^replace\s+${ARGUMENT}\s+with\s+${ARGUMENT}\s+in\s+${WORD}[.!]?$`, 'is'),
    step: (from, to, file) => ({ kind: 'replace', from: unquote(from), to: unquote(to), file: unquote(file) }),
  },
];

function parseStep(passage: string): Step | undefined {
  for (const { form, step } of FORMS) {
    const match = form.exec(passage);
    if (match) return step(...match.slice(1));
  }
  return undefined;
}

/** Quotes are removed only when they enclose the whole argument: `"a" && "b"` keeps them. */
function unquote(argument = ''): string {
  const text = argument.trim();
  const [quote] = text;
  const isEnclosed = text.length >= 2 && quote !== undefined && `"'\``.includes(quote) && text.endsWith(quote);
  const inner = text.slice(1, -1);
  return isEnclosed && !inner.includes(quote) ? inner : text;
}
