import type { Tally } from '../agent/turn.ts';
import type { Message } from '../wire/messages/index.ts';
import type { Parts } from './parts.ts';

/**
 * Says on the first line of each kind that belongs to an answer which messages the turn answers, so that a host need not
 * wait for its result to know. Today's hosts read it; agents have nobody to tell.
 */
export function inputStamp({ dialect, agent }: Pick<Parts, 'dialect' | 'agent'>, { userMessageUuids }: Tally) {
  const isTold = dialect === '2.1.325' && agent === null;
  const stamped = new Set<Message['type']>();
  return <Line extends Message>(line: Line): Line => {
    const [first] = userMessageUuids;
    if (!isTold || first === undefined || stamped.has(line.type)) return line;
    stamped.add(line.type);
    return { ...line, user_message_uuid: first, user_message_uuids: [...userMessageUuids] };
  };
}
