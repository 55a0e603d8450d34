import { describe, expect, expectTypeOf, test } from 'vitest';
import { isObject, type JsonObject } from '../../../src/util/json.ts';
import {
  type CliRequest,
  type CliSubtype,
  cliRequests,
  controlFrames,
  type HostRequest,
  type HostSubtype,
  hostRequests,
  parseCliRequest,
  parseHostRequest,
  type ResponseOf,
  readCliResponse,
  readHostResponse,
} from '../../../src/wire/control/index.ts';
import { MessageParseError } from '../../../src/wire/errors.ts';
import type { PermissionResult } from '../../../src/wire/permissions.ts';
import { recordings } from '../recordings.ts';

interface Frame {
  name: string;
  /** Who wrote it. */
  from: 'host' | 'cli';
  frame: JsonObject;
}

const frames: Frame[] = recordings('dialog').flatMap(({ name, records }) =>
  records
    .filter(({ msg }) => isObject(msg) && String(msg.type).startsWith('control_'))
    .map(({ dir, msg }) => ({ name, from: dir === 'in' ? 'host' : 'cli', frame: msg as JsonObject })),
);
const requests = frames.filter(({ frame }) => frame.type === 'control_request');
const unsupported = ['banana', 'supported_commands'];

describe('recorded control lines', () => {
  test('[CTL-01] [CTL-02] envelopes', () => {
    expect(frames.length).toBeGreaterThan(50);
    for (const { name, frame } of frames) {
      const schema = controlFrames[frame.type as keyof typeof controlFrames];
      expect(schema.safeParse(frame), `${name} ${JSON.stringify(frame)}`).toMatchObject({ success: true, data: frame });
    }
  });

  test('[CTL-03] requests of the host', () => {
    const bodies = requests.filter(({ from }) => from === 'host').map(({ frame }) => frame.request as JsonObject);
    const known = bodies.filter(({ subtype }) => !unsupported.includes(String(subtype)));
    expect(known.length).toBeGreaterThan(20);
    for (const body of known) expect(parseHostRequest(body)).toEqual({ ok: true, request: body });
  });

  test('[CTL-12] [CTL-13] [CTL-14] requests of the CLI', () => {
    const bodies = requests.filter(({ from }) => from === 'cli').map(({ frame }) => frame.request as JsonObject);
    const subtypes = new Set(bodies.map(({ subtype }) => subtype));
    expect(subtypes).toEqual(new Set(['can_use_tool', 'hook_callback', 'mcp_message']));
    for (const body of bodies) expect(parseCliRequest(body)).toEqual({ ok: true, request: body });
  });

  test('each answer has the shape that its request is paired with', () => {
    let answered = 0;
    for (const { name, from, frame } of requests) {
      const { subtype } = frame.request as { subtype: string };
      const answer = answerTo(name, frame.request_id);
      if (answer?.subtype !== 'success' || name.startsWith('ctl-cut-garbage')) continue; // that one answers nonsense
      const read = () =>
        from === 'host'
          ? readHostResponse(subtype as HostSubtype, answer.response)
          : readCliResponse(subtype as CliSubtype, answer.response);
      expect(read(), `${name} ${subtype}`).toBe(answer.response);
      answered++;
    }
    expect(answered).toBeGreaterThan(40);
  });
});

describe('requests', () => {
  test('every request is paired with its response in the table, under its own subtype', () => {
    for (const table of [hostRequests, cliRequests]) {
      for (const [subtype, { request, response }] of Object.entries(table)) {
        expect(request._zod.propValues?.subtype, subtype).toEqual(new Set([subtype]));
        expect(response, subtype).toBeDefined();
      }
    }
  });

  test("Heddle's own requests are in the tables", () => {
    expect(Object.keys(hostRequests)).toEqual(
      expect.arrayContaining([
        'end_input',
        'session_tree',
        'branches',
        'switch_leaf',
        'fork_session',
        'explain_permission',
      ]),
    );
    expect(Object.keys(cliRequests)).toEqual(expect.arrayContaining(['store_append', 'store_load', 'store_list']));
  });

  test('an unknown subtype is unsupported, a bad body is invalid and names the field', () => {
    expect(parseHostRequest({ subtype: 'banana' })).toEqual({
      ok: false,
      code: 'unsupported_request',
      error: 'Unsupported control request subtype: banana',
    });
    expect(parseHostRequest({ subtype: 'constructor' })).toMatchObject({ code: 'unsupported_request' });
    expect(parseHostRequest({ subtype: 'stop_task' })).toEqual({
      ok: false,
      code: 'invalid_request',
      error: 'stop_task: task_id: expected string',
    });
    expect(parseHostRequest('interrupt')).toMatchObject({ ok: false, code: 'invalid_request' });
    expect(parseCliRequest({ subtype: 'interrupt' })).toMatchObject({ ok: false, code: 'unsupported_request' });
  });

  test('a bad answer is refused, naming the field', () => {
    expect(() => readCliResponse('can_use_tool', { behavior: 'deny' })).toThrow(MessageParseError);
    expect(() => readCliResponse('can_use_tool', { behavior: 'deny' })).toThrow(
      'can_use_tool: message: expected string',
    );
    expect(() => readCliResponse('can_use_tool', { behavior: 'maybe' })).toThrow('behavior: ');
    expect(() => readHostResponse('mcp_status', {})).toThrow('mcpServers: expected array');
  });

  test('nothing at all is a good answer where there is nothing to return', () => {
    expect(readHostResponse('interrupt', undefined)).toBeUndefined();
    expect(readHostResponse('end_input', undefined)).toBeUndefined();
  });
});

test('types: a request narrows by its subtype, an answer follows from it', () => {
  expectTypeOf<Extract<HostRequest, { subtype: 'set_model' }>['model']>().toEqualTypeOf<string | null | undefined>();
  expectTypeOf<Extract<CliRequest, { subtype: 'can_use_tool' }>['tool_name']>().toEqualTypeOf<string>();
  expectTypeOf<ResponseOf<'can_use_tool'>>().toEqualTypeOf<PermissionResult>();
  expectTypeOf<ResponseOf<'fork_session'>>().toEqualTypeOf<{ session_id: string }>();
  expectTypeOf<HostRequest['subtype']>().toEqualTypeOf<HostSubtype>();
});

function answerTo(name: string, requestId: unknown): JsonObject | undefined {
  const answers = frames
    .filter((each) => each.name === name && each.frame.type === 'control_response')
    .map(({ frame }) => frame.response as JsonObject);
  return answers.find(({ request_id }) => request_id === requestId);
}
