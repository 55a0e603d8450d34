import { messageOf } from '../util/message-of.ts';
import type { Parts } from './parts.ts';
import { recordEnd, recordPrompt } from './record-input.ts';
import { type News, newsInput } from './session-tasks.ts';

/**
 * Records news that no turn can answer any more, and what the work that they tell of has cost: whoever resumes the session
 * finds them in the conversation. Never rejects. What could not be recorded is not delivered, and is logged.
 */
export async function keepNews(parts: Parts, news: News): Promise<void> {
  const input = newsInput(news);
  const { signal } = new AbortController(); // nothing in here waits for anybody
  try {
    const { lines } = await recordPrompt(parts, input, { expanded: null, news, signal });
    for (const line of lines) await parts.say(line);
    await recordEnd(parts, input);
  } catch (error) {
    parts.runtime.log('warn', `What happened beside the conversation was not recorded: ${messageOf(error)}`);
  }
}
