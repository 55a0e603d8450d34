/** The commands of a group, such as `heddle sessions …`. */
export interface ActionGroup<Action> {
  group: string;
  help: string;
  actions: Readonly<Record<string, () => Promise<Action>>>;
}

interface GroupParts<Action> {
  group: string;
  /** What the group is for; like `notes`, in lines as they are printed. */
  about: string;
  commands: Readonly<Record<string, GroupCommand<Action>>>;
  /** Notes that apply to all commands: common options, names. */
  notes: string;
  /** Without the leading `heddle`. */
  examples: readonly string[];
  exitCodes: string;
}

/**
 * `does` is for the table of the group's help. `load` instead of `action`: the command needs a package or much of Node.
 */
type GroupCommand<Action> = { does: string } & ({ action: Action } | { load(): Promise<Action> });

/** Makes a group from its commands: the table in its help lists them in their order. */
export function defineGroup<Action>({ commands, ...parts }: GroupParts<Action>): ActionGroup<Action> {
  const named = Object.entries(commands);
  return {
    group: parts.group,
    help: helpOf(parts, commandTable(named)),
    actions: Object.fromEntries(
      named.map(([name, command]) => [name, async () => ('load' in command ? command.load() : command.action)]),
    ),
  };
}

function helpOf({ group, about, notes, examples, exitCodes }: Omit<GroupParts<unknown>, 'commands'>, table: string) {
  return `Usage: heddle ${group} COMMAND …

${about}

${table}

${notes}

Examples:
${examples.map((example) => `  heddle ${example}`).join('\n')}

Exit codes: ${exitCodes}
`;
}

/** Aligns groups with short names with the others. */
const MIN_NAME_WIDTH = 7;

function commandTable(commands: readonly (readonly [string, GroupCommand<unknown>])[]): string {
  const width = Math.max(MIN_NAME_WIDTH, ...commands.map(([name]) => name.length));
  return commands.map(([name, { does }]) => `  ${name.padEnd(width)}   ${does}`).join('\n');
}
