import { type OptionSchema, parseArgv } from './argv-schema.ts';

/**
 * Every path that a plain file command may touch, as written; null when the command is not one, or has an option that
 * leads elsewhere. A file that is copied or moved into a directory keeps its name there, so those paths are listed too.
 */
export function fileCommandPaths(argv: readonly string[]): string[] | null {
  const [name, ...args] = argv;
  const schema = name === undefined ? undefined : SCHEMAS.get(name);
  if (schema === undefined) return null;
  const parsed = parseArgv(args, schema);
  if (parsed === null || parsed.operands.length < (schema.min ?? 1)) return null;
  const { operands } = parsed;
  // An empty name or `-` is not a file that could be checked.
  if (operands.some((operand) => operand === '' || operand === '-')) return null;
  return schema.hasTarget ? [...operands, ...landings(operands)] : operands;
}

/** True for commands that can move an existing symlink: path checks made before them do not hold afterwards. */
export function movesNames(words: readonly unknown[]): boolean {
  return words[0] === 'mv';
}

interface FileCommandSchema extends OptionSchema {
  min?: number;
  hasTarget?: true;
}

/**
 * No `cp -r`: it writes through symlinks that are already in its target. No `rmdir -p`: it climbs. No `ln`: links make
 * paths lead elsewhere. No backups (`-b`, `-S`) and no `-t`: they name further files.
 */
const SCHEMAS: ReadonlyMap<string, FileCommandSchema> = new Map<string, FileCommandSchema>([
  ['touch', { flags: 'amc', valued: 'dt' }],
  ['mkdir', { flags: 'pv', valued: 'm', longs: ['parents', 'verbose'] }],
  ['rmdir', { flags: 'v' }],
  ['rm', { flags: 'rRfiIvd', longs: ['recursive', 'force', 'verbose'] }],
  ['mv', { flags: 'fniv', min: 2, hasTarget: true }],
  ['cp', { flags: 'fnivp', min: 2, hasTarget: true }],
]);

function landings(operands: readonly string[]): string[] {
  const target = operands.at(-1) ?? '';
  return operands.slice(0, -1).map((source) => `${target}/${lastSegment(source)}`);
}

function lastSegment(path: string): string {
  return path.split('/').findLast((segment) => segment !== '') ?? '';
}
