import type { RunningCli } from './cli.ts';
import type { Line } from './lines.ts';

/** Interrupts the running turn: its result, and how long that took, the answer to the request included. */
export async function interrupt(cli: RunningCli): Promise<{ result: Line; ms: number }> {
  const started = Date.now();
  const response = await cli.control({ subtype: 'interrupt' });
  if (response.subtype !== 'success') throw new Error(`The interrupt was answered with ${JSON.stringify(response)}`);
  const result = await cli.nextResult();
  return { result, ms: Date.now() - started };
}
