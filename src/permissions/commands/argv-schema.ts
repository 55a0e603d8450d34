/** The options that a program may be given. An option that is not listed makes the whole command unknown. */
export interface OptionSchema {
  /** Short options without a value; they may be bundled (`-la`). */
  flags?: string;
  /** Short options with a value, attached or in the next word. */
  valued?: string;
  /** Long options without a value. Abbreviations are not accepted. */
  longs?: readonly string[];
  /** Long options whose value follows an equals sign. */
  valuedLongs?: readonly string[];
  /** Accepts `-5` as a count. */
  count?: true;
}

export interface ParsedArgv {
  operands: string[];
  /** Short options that were given, letters only. */
  options: Set<string>;
}

/**
 * The operands of a command line, or null when it has an option that the schema does not name.
 *
 * Options after the first operand give null: GNU programs take them as options, others as file names, and with
 * `uniq in -c` that is the difference between reading and writing.
 */
export function parseArgv(args: readonly string[], schema: OptionSchema): ParsedArgv | null {
  const options = new Set<string>();
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] as string;
    if (arg === '--') return { operands: args.slice(at + 1), options };
    if (!arg.startsWith('-') || arg === '-') {
      const operands = args.slice(at);
      return operands.some((word) => word.startsWith('-') && word !== '-') ? null : { operands, options };
    }
    if (arg.startsWith('--')) {
      if (!isKnownLong(arg.slice(2), schema)) return null;
      continue;
    }
    if (schema.count && /^-\d+$/.test(arg)) continue;
    const cluster = readCluster(arg.slice(1), schema, options);
    if (cluster === null) return null;
    if (cluster === 'value-follows' && ++at >= args.length) return null;
  }
  return { operands: [], options };
}

function isKnownLong(text: string, schema: OptionSchema): boolean {
  const equals = text.indexOf('=');
  if (equals === -1) return schema.longs?.includes(text) ?? false;
  return schema.valuedLongs?.includes(text.slice(0, equals)) ?? false;
}

function readCluster(letters: string, schema: OptionSchema, options: Set<string>): 'done' | 'value-follows' | null {
  for (let at = 0; at < letters.length; at++) {
    const letter = letters[at] as string;
    options.add(letter);
    if (schema.valued?.includes(letter)) return at === letters.length - 1 ? 'value-follows' : 'done';
    if (!schema.flags?.includes(letter)) return null;
  }
  return 'done';
}
