/** The commands of a group, such as `heddle sessions …`; each is loaded when it is called. */
export interface ActionGroup<Action> {
  group: string;
  help: string;
  actions: Readonly<Record<string, () => Promise<Action>>>;
}

interface GroupParts<Action> {
  group: string;
  /** What the group is about; like `notes`, in lines as they are printed. */
  about: string;
  commands: Readonly<Record<string, GroupCommand<Action>>>;
  /** What holds for all commands: common options, names. */
  notes: string;
  /** Behind `heddle`. */
  examples: readonly string[];
  exitCodes: string;
}

interface GroupCommand<Action> {
  /** In the table of the group's help. */
  does: string;
  load(): Promise<Action>;
}

/** Makes a group of its commands: the table in its help has those that can be called, in their order. */
export function defineGroup<Action>({ commands, ...parts }: GroupParts<Action>): ActionGroup<Action> {
  const named = Object.entries(commands);
  return {
    group: parts.group,
    help: helpOf(parts, commandTable(named)),
    actions: Object.fromEntries(named.map(([name, { load }]) => [name, load])),
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

/** So that groups with short names look like the others. */
const MIN_NAME_WIDTH = 7;

function commandTable(commands: readonly (readonly [string, GroupCommand<unknown>])[]): string {
  const width = Math.max(MIN_NAME_WIDTH, ...commands.map(([name]) => name.length));
  return commands.map(([name, { does }]) => `  ${name.padEnd(width)}   ${does}`).join('\n');
}
