import { emptyTally } from '../agent/turn.ts';
import type { Message } from '../wire/messages/index.ts';
import type { UserInput } from '../wire/messages/user.ts';
import type { CommandLine } from './command-line.ts';
import { commandTurn } from './command-turn.ts';
import type { Parts } from './parts.ts';
import { recordEnd } from './record-input.ts';
import { type SessionSeams, sessionTurn } from './run-turn.ts';

/** Carries out a command. Its lines are said; the result line is the last that it resolves with. */
export async function answerCommand(
  parts: Parts,
  { command, input }: { command: CommandLine; input: UserInput },
  seams: SessionSeams,
  signal: AbortSignal,
): Promise<Message | null> {
  const { voice, setModel } = seams;
  const uuid = input.uuid ?? parts.runtime.ids.uuid();
  voice.echo(input, uuid);
  const makeOwn = () => sessionTurn(parts, emptyTally(), [], seams);
  let result: Message | null = null;
  for await (const line of commandTurn({ ...command, uuid }, parts, { setModel, makeTurn: makeOwn }, signal)) {
    if (line.type === 'result') {
      await recordEnd(parts, input);
      const { origin } = input;
      result = { ...line, ...(origin && { origin }), ...(input.uuid !== undefined && { user_message_uuids: [uuid] }) };
    } else {
      await (line.type === 'system' && line.subtype === 'init' ? voice.open(line) : voice.say(line));
    }
  }
  return result;
}
