import type { JsonObject } from '../../../src/util/json.ts';
import { type RunningCli, runCli, STREAM_OUT } from '../../support/cli.ts';
import { isResult, type Line } from '../../support/lines.ts';
import type { Place } from '../../support/place.ts';

export const ASK_HOST = ['--permission-prompt-tool', 'stdio'];

/** A session to go on with: the flags for it. */
export async function earlierSession(place: Place): Promise<string[]> {
  const { lines } = await runCli([...STREAM_OUT, 'hi'], { place });
  return ['--resume', String(lines.find(isResult)?.session_id)];
}

/** A host that says no to every question, until all is done that it waits for. */
export async function refuseUntil(cli: RunningCli, isDone: () => boolean): Promise<Line[]> {
  while (!isDone()) {
    const line = await cli.next(() => true);
    if (line.type === 'control_request') refuse(cli, line);
  }
  cli.endInput();
  return (await cli.finished).lines;
}

function refuse(cli: RunningCli, { request_id }: Line): void {
  const response = { behavior: 'deny', message: 'The host says no' };
  cli.send({ type: 'control_response', response: { subtype: 'success', request_id, response } });
}

/** Whether the host was asked about this call. */
export function isAsked(lines: readonly Line[], toolUseId: string): boolean {
  return lines.some(({ request }) => (request as JsonObject | undefined)?.tool_use_id === toolUseId);
}
