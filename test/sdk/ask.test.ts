import { describe, expect, onTestFinished, test } from 'vitest';
import { createSession, FailedResultError, type SDKMessage, type SessionOptions } from '../../src/sdk/index.ts';
import type { Line } from '../support/lines.ts';
import { RESULT, type Script, type ScriptedAgent, scriptedAgent } from '../support/scripted-agent.ts';

const CAPABILITIES = ['parent_uuid', 'edits', 'partial_messages'];

function opened(script: Script = {}, options: SessionOptions = {}) {
  const agent = scriptedAgent({ answer: () => ({ capabilities: CAPABILITIES }), ...script });
  const session = createSession({ transport: agent.connect, ...options });
  onTestFinished(async () => void (await session.close()));
  return { agent, session };
}

const textOf = (line: Line) => (line.message as { content: { text: string }[] }).content[0]?.text ?? '';
const users = (agent: ScriptedAgent) => agent.lines.filter(({ type }) => type === 'user');
const lifecycle = (uuid: unknown, state: string) => ({
  type: 'command_lifecycle',
  command_uuid: uuid,
  state,
  uuid: 'l',
  session_id: 's',
});
const answered = (text: string, ...uuids: unknown[]) => ({ ...RESULT, result: text, user_message_uuids: uuids });
const refused = (uuid: unknown, code: string) => ({
  type: 'system',
  subtype: 'input_error',
  error: `refused: ${code}`,
  error_code: code,
  input_uuid: uuid,
  uuid: 'i',
  session_id: 's',
});

async function types(messages: AsyncIterable<SDKMessage>): Promise<string[]> {
  const seen: string[] = [];
  for await (const { type } of messages) seen.push(type);
  return seen;
}

describe('ask', () => {
  test('resolves with the text, the result and the uuid of the question', async () => {
    const { agent, session } = opened({
      onUser: ({ uuid }, { say }) => say(answered('forty-two', uuid)),
    });
    const answer = await session.ask('what?');
    expect(answer).toMatchObject({ text: 'forty-two', result: { result: 'forty-two', num_turns: 1 } });
    expect(users(agent)[0]).toMatchObject({ uuid: answer.uuid });
  });

  test('several at a time get their own answers, in whatever order and together', async () => {
    const asked = new Map<string, unknown>();
    const { session } = opened({
      onUser: (line, { say }) => {
        asked.set(textOf(line), line.uuid);
        if (asked.size < 3) return;
        say(answered('of c', asked.get('c')));
        say(answered('of news'));
        say(answered('of a and b', asked.get('a'), asked.get('b')));
      },
    });
    const answers = await Promise.all(['a', 'b', 'c'].map((each) => session.ask(each)));
    expect(answers.map(({ text }) => text)).toEqual(['of a and b', 'of a and b', 'of c']);
  });

  test('an agent that does not say what it answers does so in order', async () => {
    const { session } = opened({ onUser: (line, { say }) => say({ ...RESULT, result: `re: ${textOf(line)}` }) });
    const answers = await Promise.all(['a', 'b'].map((each) => session.ask(each)));
    expect(answers.map(({ text }) => text)).toEqual(['re: a', 're: b']);
  });

  test('a turn that ends without the prompt having become part of it has answered it, too', async () => {
    const { session } = opened({
      onUser: ({ uuid }, { say }) => {
        say(answered('of something else'));
        say(lifecycle(uuid, 'started'));
        say(answered('blocked by a hook'));
        say(lifecycle(uuid, 'completed'));
      },
    });
    expect(await session.ask('what?')).toMatchObject({ text: 'blocked by a hook' });
  });

  test.each([
    ['an error in the place of an answer', { is_error: true, result: 'API Error: 401', api_error_status: 401 }],
    ['an error', { subtype: 'error_max_turns', is_error: true, errors: ['Reached the limit'] }],
  ])('[K24] %s rejects, and the session can be asked again', async (_what, fields) => {
    const { session } = opened({
      onUser: (line, { say }) => {
        say(textOf(line) === 'bad' ? { ...answered('x', line.uuid), ...fields } : answered('fine', line.uuid));
      },
    });
    const failing = session.ask('bad');
    await expect(failing).rejects.toBeInstanceOf(FailedResultError);
    await expect(failing).rejects.toMatchObject({ code: 'failed_result', result: fields });
    expect(await session.ask('good')).toMatchObject({ text: 'fine' });
  });

  test('a message that is refused or taken back rejects', async () => {
    const { session } = opened({
      onUser: (line, { say }) => {
        say(textOf(line) === 'used' ? refused(line.uuid, 'used_uuid') : lifecycle(line.uuid, 'cancelled'));
      },
    });
    await expect(session.ask('used')).rejects.toMatchObject({
      code: 'invalid_option',
      facts: { errorCode: 'used_uuid' },
    });
    await expect(session.ask('withdrawn')).rejects.toMatchObject({ code: 'aborted' });
  });

  test('[ERR-04] rejects when the agent ends, when the session is closed, and when it is aborted', async () => {
    const died = opened({ onUser: (_line, { exit }) => exit(1) });
    await expect(died.session.ask('what?')).rejects.toMatchObject({ name: 'ProcessError', exitCode: 1 });
    const closed = opened({ onUser: () => {} });
    const waiting = closed.session.ask('what?');
    await closed.session.initializationResult();
    await closed.session.close();
    await expect(waiting).rejects.toMatchObject({ code: 'closed' });
    const abortController = new AbortController();
    const aborted = opened({ onUser: () => abortController.abort() }, { abortController });
    await expect(aborted.session.ask('what?')).rejects.toMatchObject({ code: 'aborted', name: 'AbortError' });
  });

  test('its messages go to who reads, and to nobody else: a later stream begins behind them', async () => {
    const { session } = opened({
      onUser: ({ uuid }, { say }) => {
        say({ type: 'novelty' });
        say(answered('done', uuid));
      },
    });
    await session.ask('one');
    await session.ask('two');
    await session.send('three');
    expect(await types(session.stream())).toEqual(['novelty', 'result']);
    const reading = types(session.stream());
    await session.ask('four');
    expect(await reading).toEqual(['novelty', 'result']);
  });

  test('passes over what nobody has read', async () => {
    const { session } = opened({ onUser: ({ uuid }, { say }) => say(answered('done', uuid)) });
    await session.send('never read');
    await session.ask('one');
    await session.send('two');
    expect(await types(session.stream())).toEqual(['result']);
  });

  test('a message that wants no answer is refused', async () => {
    const { session } = opened();
    const message = { type: 'user', message: { role: 'user', content: 'note' }, shouldQuery: false } as const;
    await expect(session.ask(message)).rejects.toMatchObject({ code: 'invalid_option' });
    await expect(session.ask(' ')).rejects.toMatchObject({ code: 'invalid_option' });
  });
});

describe('where a message belongs', () => {
  const taking: Script = {
    onUser: ({ uuid }, { say }) => {
      say(lifecycle(uuid, 'queued'));
      say(answered('done', uuid));
    },
  };

  test('[K41] edits and restoreFiles go along with the message', async () => {
    const { agent, session } = opened({
      onUser: (line, { say }) => {
        say(lifecycle(line.uuid, 'queued'));
        if (line.restore_files) {
          const files = { canRewind: true, filesChanged: ['/a'], error: 'Not brought back: /b' };
          say({
            type: 'system',
            subtype: 'files_restored',
            input_uuid: line.uuid,
            ...files,
            uuid: 'f',
            session_id: 's',
          });
        }
        say(lifecycle(line.uuid, 'started'));
        say(answered('done', line.uuid));
      },
    });
    expect(await session.edit('old', 'new')).toEqual({ uuid: expect.any(String) });
    expect(await session.edit('old', 'newer', { restoreFiles: true })).toEqual({
      uuid: expect.any(String),
      files: { canRewind: true, filesChanged: ['/a'], error: 'Not brought back: /b' },
    });
    await session.send('third', { parentUuid: 'x', restoreFiles: true });
    await session.ask('fourth', { edits: 'old' });
    expect(users(agent).map(({ edits, parentUuid, restore_files }) => ({ edits, parentUuid, restore_files }))).toEqual([
      { edits: 'old', parentUuid: undefined, restore_files: undefined },
      { edits: 'old', parentUuid: undefined, restore_files: true },
      { edits: undefined, parentUuid: 'x', restore_files: true },
      { edits: 'old', parentUuid: undefined, restore_files: undefined },
    ]);
  });

  test('a dry run sends nothing, and asks what would become of the files', async () => {
    const { agent, session } = opened({
      answer: ({ subtype }) =>
        subtype === 'rewind_files' ? { canRewind: true, filesChanged: ['/a'] } : { capabilities: CAPABILITIES },
    });
    expect(await session.edit('old', 'new', { restoreFiles: true, dryRun: true })).toEqual({
      files: { canRewind: true, filesChanged: ['/a'] },
    });
    expect(agent.requests.at(-1)).toEqual({
      subtype: 'rewind_files',
      user_message_id: 'old',
      dry_run: true,
      any_branch: true,
    });
    expect(users(agent)).toEqual([]);
  });

  test('[K41] what the agent refuses rejects, and no message tells of it', async () => {
    const codes = ['unknown_parent', 'not_enabled'];
    const { session } = opened({
      onUser: ({ uuid }, { say }) => {
        const code = codes.shift();
        if (code) say(refused(uuid, code));
        else say(answered('done', uuid));
      },
    });
    await expect(session.edit('gone', 'new')).rejects.toMatchObject({ code: 'unknown_parent' });
    await expect(session.edit('old', 'new', { restoreFiles: true })).rejects.toMatchObject({
      code: 'invalid_option',
      facts: { errorCode: 'not_enabled' },
    });
    await session.send('next');
    expect(await types(session.stream())).toEqual(['result']);
  });

  test('a turn that breaks before the files are back rejects; so does a message that is taken back', async () => {
    const states = ['completed', 'cancelled'];
    const { session } = opened({
      onUser: ({ uuid }, { say }) => {
        say(lifecycle(uuid, 'queued'));
        say(lifecycle(uuid, states.shift() ?? ''));
      },
    });
    await expect(session.edit('old', 'new', { restoreFiles: true })).rejects.toMatchObject({
      message: expect.stringMatching(/files were not brought back/),
    });
    await expect(session.edit('old', 'new', { restoreFiles: true })).rejects.toMatchObject({ code: 'aborted' });
  });

  test('an agent that does not know edits is not sent any', async () => {
    const { agent, session } = opened({ answer: () => ({ capabilities: ['parent_uuid'] }) });
    await expect(session.edit('old', 'new')).rejects.toMatchObject({ code: 'not_supported' });
    await expect(session.send('x', { parentUuid: null, restoreFiles: true })).rejects.toMatchObject({
      code: 'not_supported',
    });
    expect(users(agent)).toEqual([]);
  });

  test.each<[string, object, string, RegExp]>([
    ['a misspelt name', { parentUUID: 'x' }, 'parentUUID', /no option 'parentUUID' here; did you mean 'parentUuid'\?/],
    [
      'an unknown name',
      { colour: 'x' },
      'colour',
      /no option 'colour' here: there are parentUuid, edits, restoreFiles/,
    ],
    ['a wrong parent', { parentUuid: 7 }, 'parentUuid', /parentUuid must be the uuid of a message, or null/],
    ['a wrong flag', { edits: 'x', restoreFiles: 'yes' }, 'restoreFiles', /restoreFiles must be true or false/],
    ['files of no place', { restoreFiles: true }, 'restoreFiles', /restoreFiles needs edits or parentUuid/],
    ['two places', { edits: 'x', parentUuid: null }, 'edits', /exclude each other/],
    ['no options at all', null as never, 'options', /must be an object/],
  ])('[ERR-09] %s is refused before anything is sent', async (_what, options, option, message) => {
    const { agent, session } = opened(taking);
    const refusal = { code: 'invalid_option', facts: { option }, message: expect.stringMatching(message) };
    await expect(session.send('x', options)).rejects.toMatchObject(refusal);
    await expect(session.ask('x', options)).rejects.toMatchObject(refusal);
    await session.initializationResult();
    expect(users(agent)).toEqual([]);
  });

  test.each<[string, object, RegExp]>([
    ['a misspelt name', { restoreFile: true }, /did you mean 'restoreFiles'\?/],
    ['a dry run of nothing', { dryRun: true }, /dryRun needs restoreFiles/],
  ])('[ERR-09] edit: %s is refused', async (_what, options, message) => {
    const { session } = opened(taking);
    await expect(session.edit('old', 'new', options)).rejects.toMatchObject({
      code: 'invalid_option',
      message: expect.stringMatching(message),
    });
  });
});

describe('textStream', () => {
  const growing: Script = {
    onUser: ({ uuid }, { say }) => {
      const ids = { uuid: 'e', session_id: 's', parent_tool_use_id: null };
      say({ type: 'system', subtype: 'status', status: 'requesting', uuid: 'q', session_id: 's' });
      say({ type: 'stream_event', event: { type: 'message_start', message: { id: 'm' } }, ...ids });
      for (const text of ['one ', 'two']) {
        const delta = { type: 'text_delta', text };
        say({ type: 'stream_event', event: { type: 'content_block_delta', index: 0, delta }, ...ids });
      }
      say(answered('one two', uuid));
    },
  };

  test('asks for partial messages, once, before the next prompt; other readers do not see them', async () => {
    const { agent, session } = opened(growing);
    const texts: string[] = [];
    const run = session.stream();
    const reading = (async () => {
      for await (const text of run.textStream) texts.push(text);
    })();
    await session.send('one');
    await reading;
    expect(texts).toEqual(['one ', 'two']);
    expect(run.result).toMatchObject({ result: 'one two' });
    expect(agent.lines.map(({ type, request }) => (request as { subtype?: string })?.subtype ?? type)).toEqual([
      'initialize',
      'set_partial_messages',
      'user',
    ]);
    await session.send('two');
    expect(await types(session.stream())).toEqual(['result']);
    await session.send('three');
    for await (const text of session.stream().textStream) texts.push(text);
    expect(agent.requests.filter(({ subtype }) => subtype === 'set_partial_messages')).toHaveLength(1);
  });

  test('does not ask for what the options ask for, nor of an agent that cannot do it', async () => {
    const asked = opened(growing, { includePartialMessages: true });
    await asked.session.send('one');
    for await (const _ of asked.session.stream().textStream);
    expect(asked.agent.requests).toHaveLength(1);
    const unable = opened({ ...growing, answer: () => ({}) });
    const reading = (async () => {
      for await (const _ of unable.session.stream().textStream);
    })();
    await unable.session.send('one');
    await reading;
    expect(unable.agent.requests).toHaveLength(1);
  });
});
