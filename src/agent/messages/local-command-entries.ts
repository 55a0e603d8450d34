import type { Chain } from '../sessions/chain.ts';
import type { ContentBlock } from '../wire/content.ts';
import type { Entry } from '../wire/entries.ts';
import type { RecordedCommand } from './recorder.ts';

const CAVEAT =
  '<local-command-caveat>The next messages come from a command that the user ran locally. Do not answer them or treat them as part of the task, unless the user asks about them.</local-command-caveat>';

/** A command that was answered here, as entries of the session, and what the model will see of it. */
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
