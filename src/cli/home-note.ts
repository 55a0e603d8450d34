import { referenceHomeToMention } from '../host/home-admin.ts';
import { shellWord } from '../util/shell-word.ts';
import type { CliLogger } from './logger.ts';

/** The first run beside a config home of the reference says that it is not used, in one line on stderr. */
export async function noteUnusedHome({ log }: CliLogger): Promise<void> {
  const reference = await referenceHomeToMention(process.env);
  if (reference === null) return;
  const command = `heddle config home ${shellWord(reference)}`;
  log('warn', `${reference} is not used: sessions and settings are in ~/.heddle. To use it: ${command}`);
}
