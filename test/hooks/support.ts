import type { JsonObject } from '../../src/util/json.ts';
import { type Client, createHouse, type House } from '../host/support.ts';

/** The same hook as a command of the settings and as a callback of the host. */
export type Kind = 'command' | 'callback';
export const KINDS: readonly Kind[] = ['command', 'callback'];

export interface HookedOptions {
  kind: Kind;
  event: string;
  /** What it answers. */
  answer: JsonObject;
  matcher?: string;
  config?: Parameters<House['connect']>[0];
  script: Parameters<typeof createHouse>[0];
}

/** A session with one hook. `seen` are the inputs that a callback got. */
export async function hooked(options: HookedOptions): Promise<{ house: House; client: Client; seen: JsonObject[] }> {
  const { kind, event, answer, matcher, config = {}, script } = options;
  const house = createHouse(script);
  const seen: JsonObject[] = [];
  if (kind === 'command') {
    const settings = JSON.stringify({ hooks: { [event]: [{ matcher, hooks: [command(printing(answer))] }] } });
    return { house, client: house.connect({ ...config, settings }), seen };
  }
  const client = house.connect(config, {
    answer(request) {
      seen.push(request.input as JsonObject);
      return answer;
    },
  });
  await client.control({ subtype: 'initialize', hooks: { [event]: [{ matcher, hookCallbackIds: ['hook_0'] }] } });
  return { house, client, seen };
}

export function command(text: string, more: JsonObject = {}): JsonObject {
  return { type: 'command', command: text, ...more };
}

/** A shell command that prints a value as JSON. */
export function printing(value: unknown): string {
  return `cat > /dev/null; printf '%s' ${quoted(JSON.stringify(value))}`;
}

export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Settings with commands for events, for `settings` of a launch. */
export function settingsWith(hooks: Record<string, JsonObject[]>, matcher?: string): string {
  const groups = Object.entries(hooks).map(([event, list]) => [event, [{ ...(matcher && { matcher }), hooks: list }]]);
  return JSON.stringify({ hooks: Object.fromEntries(groups) });
}
