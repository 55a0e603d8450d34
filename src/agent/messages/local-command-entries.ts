import type { Chain } from '../../sessions/tree/chain.ts';
import type { ContentBlock } from '../../wire/api/content.ts';
import type { Entry } from '../../wire/entries.ts';

/** A slash command that was answered without the model. */
export interface RecordedCommand {
  name: string;
  args: string;
  /** The content in front of the command. */
  before?: readonly ContentBlock[];
  output: string;
  uuids: { caveat: string; command: string; output: string };
  /** True when a prompt was taken from the queue for it. */
  dequeue: boolean;
}

const CAVEAT =
  '<local-command-caveat>The next messages come from a command that the user ran locally. Do not answer them or treat them as part of the task, unless the user asks about them.</local-command-caveat>';

/** The session entries of a command that Heddle answered itself, and the content for the model. */
export function localCommandEntries(
  chain: Chain,
  { name, args, before = [], output, uuids, dequeue }: RecordedCommand,
): { entries: Entry[]; seen: ContentBlock[] } {
  const say = (content: string | ContentBlock[]) => ({ role: 'user', content });
  const words = [
    `<command-name>/${name}</command-name>`,
    `<command-message>${name}</command-message>`,
    `<command-args>${args}</command-args>`,
  ];
  const command = words.join(`\n${' '.repeat(12)}`);
  const called: ContentBlock[] = [...before, { type: 'text', text: command }];
  const entries = [
    ...(dequeue ? [chain.queueOperation('dequeue')] : []),
    chain.userEntry(say(CAVEAT), { uuid: uuids.caveat, isMeta: true }),
    chain.userEntry(say(before.length === 0 ? command : called), { uuid: uuids.command }),
    chain.userEntry(say(output), { uuid: uuids.output }),
  ];
  return { entries, seen: [{ type: 'text', text: CAVEAT }, ...called, { type: 'text', text: output }] };
}
