import { setTimeout as sleep } from 'node:timers/promises';
import { type FakeApiRequest, type Script, toolUse } from '../../src/testing/index.ts';
import { apiFaults } from './api-faults.ts';
import { task } from './cast.ts';
import { STREAM_OUT, startCli } from './cli.ts';
import { isResult, kindOf, textsOf } from './lines.ts';
import type { Place } from './place.ts';
import { descendantsOf, eventually, isAlive } from './processes.ts';
import { bodyOf, conversationText } from './requests.ts';

/** A model that starts so many agents at once; each runs a command and answers after a moment of its own. */
export function manyAgentsScript(count: number, random: () => number): Script<FakeApiRequest> {
  return async (request) => {
    const { messages } = bodyOf(request);
    const isAnswered = messages.some(({ role }) => role === 'assistant');
    const name = /AGENT (agent-\d+)/.exec(textsOf(messages[0]).join('\n'))?.[1];
    if (name === undefined) return isAnswered ? 'Noted.' : Array.from({ length: count }, (_, at) => startOf(at));
    await sleep(random() * 1500);
    return isAnswered
      ? `answer of ${name}`
      : toolUse('Bash', { command: `sleep 0.0${Math.floor(random() * 9)}; echo ${name}` });
  };
}

function startOf(at: number) {
  return task(`AGENT agent-${at}`, { run_in_background: true, description: `work ${at}` });
}

/** Runs them in one process, to the end. Returns everything that is not as it was promised. */
export async function manyAgentsFaults(place: Place, count: number): Promise<string[]> {
  const cli = startCli([...STREAM_OUT, 'MAIN go', '--allowedTools', 'Bash'], { place });
  cli.endInput();
  const processes = new Set<number>();
  while (cli.child.exitCode === null && cli.child.signalCode === null) {
    for (const pid of descendantsOf(cli.pid)) processes.add(pid);
    await sleep(100);
  }
  const { code, lines, stderr } = await cli.finished;
  await eventually(() => ![...processes].some(isAlive), 6000);
  const main = place.api.requests.findLast((request) => conversationText(request).startsWith('MAIN'));
  const told = conversationText(main);
  const notified = lines.filter((line) => kindOf(line) === 'system/task_notification');
  const faults = Array.from({ length: count }, (_, at) => `agent-${at}`).flatMap((name) => {
    const times = told.split(`<result>answer of ${name}</result>`).length - 1;
    return times === 1 ? [] : [`the model was told ${times} times of ${name}`];
  });
  const ids = notified.map(({ task_id }) => task_id);
  return [
    ...faults,
    ...(code === 0 ? [] : [`it ended with ${code}: ${stderr}`]),
    ...(new Set(ids).size === count && ids.length === count ? [] : [`hosts heard of ${ids.length} ends`]),
    ...notified.filter(({ status }) => status !== 'completed').map(({ task_id, status }) => `${task_id}: ${status}`),
    ...(JSON.stringify(lines.findLast(isResult)?.pending_tasks) === '[]' ? [] : ['tasks are pending at the end']),
    ...(processes.size > 0 ? [] : ['no process was seen']),
    ...new Set(place.api.requests.flatMap((request) => apiFaults(bodyOf(request)))),
  ];
}
