import { createJsonlStore } from '../../../src/sessions/stores/jsonl-store.ts';
import { engine, sdk } from '../built.ts';
import type { Place } from '../place.ts';
import { askHere, type Mistake, type Wrong } from './mistake.ts';

const create = (options: Wrong) => engine.createEngine(options);

/** What is wrong with an engine: told when it is made, or as the error of a run in this process. */
export const WRONG_ENGINES: Mistake[] = [
  {
    what: 'an engine of nothing',
    make: () => (create as Wrong)(),
    told: [
      'throws invalid_option: createEngine needs options, got undefined: createEngine({ cwd: process.cwd(), env: process.env })',
    ],
  },
  {
    what: 'an engine without a directory',
    make: () => create({ env: {} }),
    told: [
      'throws invalid_option: createEngine needs cwd, where sessions run: createEngine({ cwd: process.cwd(), env: process.env })',
    ],
  },
  {
    what: 'a misspelt option of an engine',
    make: () => create({ cwdd: '.' }),
    told: ["throws invalid_option: createEngine: there is no option 'cwdd'; did you mean 'cwd'?"],
  },
  {
    what: 'an option that engines do not have',
    make: ({ cwd }) => create({ cwd, permissions: [] }),
    told: [
      "throws invalid_option: createEngine: there is no option 'permissions'; there are cwd, env, home, model, credential, store, tools, telemetry, clock, ids, log, ordered, toolDeadline, pid",
    ],
  },
  {
    what: 'the name of a model',
    make: ({ cwd }) => create({ cwd, model: 'sonnet' }),
    told: [
      'throws invalid_option: createEngine: model is a model of your own, an object with stream(); the name "sonnet" belongs into the options of query() or createSession()',
    ],
  },
  {
    what: 'a folder as the store',
    make: ({ cwd }) => create({ cwd, store: './sessions' }),
    told: [
      "throws invalid_option: createEngine: store is an object that keeps sessions, got a string: createJsonlStore({ home }) of 'heddle/stores/jsonl' makes one of files",
    ],
  },
  {
    what: 'half of a store of an engine',
    make: ({ cwd }) => create({ cwd, store: { append() {}, load() {}, list() {} } }),
    told: ['throws invalid_option: createEngine: store.exists must be a function, got undefined'],
  },
  {
    what: 'a console as the log',
    make: ({ cwd }) => create({ cwd, log: console }),
    told: ['throws invalid_option: createEngine: log must be a function (level, message, facts), got an object'],
  },
  {
    what: 'a key as the credential, which is not shown',
    make: ({ cwd }) => create({ cwd, credential: 'sk-of-the-test' }),
    told: ['throws invalid_option: createEngine: credential must be a function, got a string'],
  },
  {
    what: 'functions that are no tools',
    make: ({ cwd }) => create({ cwd, tools: [() => 'woven'] }),
    told: ['throws invalid_option: createEngine: tools[0] must be a tool that tool() has made, got a function'],
  },
  {
    what: 'a tool with the name of one of ours',
    make: ({ cwd }) => create({ cwd, tools: [sdk.tool('Bash', 'Weaves', {}, () => '')] }),
    told: ['throws invalid_option: A tool cannot be named Bash: that is a built-in tool.'],
  },
  {
    what: 'inProcess without an engine',
    make: () => (engine.inProcess as Wrong)(),
    told: [
      'throws invalid_option: inProcess needs an engine: inProcess(createEngine({ cwd: process.cwd(), env: process.env }))',
    ],
  },
  {
    what: 'an engine in a directory that is not there',
    make: (place) => askHere(place, ['Well.'], { engineOptions: { cwd: `${place.root}/gone` } }),
    told: ['throws run_failed: The run could not start: The working directory is not a directory: ROOT/gone'],
  },
  {
    what: 'an engine that has no place for sessions',
    make: (place) => askHere(place, ['Well.'], { engineOptions: { store: undefined } }),
    told: [
      'throws run_failed: The run could not start: There is no place for sessions: set HEDDLE_HOME or HOME. A program hands its own to the engine with createEngine({ env: process.env }), or gives it a home or a store',
    ],
  },
  {
    what: 'an engine that knows no key, though the shell has one',
    make: (place) => askHere(place, [], { engineOptions: { model: undefined } }),
    told: [
      [
        'result: This engine was made without an environment and sees no variable of yours: createEngine({ env: process.env }) hands them over.',
        'No model credentials were found: set ANTHROPIC_API_KEY, store a key with heddle auth login, or try --model offline.',
        '  - ANTHROPIC_API_KEY (or ANTHROPIC_AUTH_TOKEN), with ANTHROPIC_BASE_URL for another address;',
        '  - --model offline: built in, for plain instructions;',
        '  - --model openai/NAME: an OpenAI-compatible server, at OPENAI_BASE_URL;',
        '  - --model PROVIDER/NAME: gemini, openrouter, ollama, bedrock, vertex and others (heddle models);',
        '  - --model replay:FILE: a recording.',
      ].join('\n'),
    ],
  },
  {
    what: 'a model that returns no events',
    make: (place) => askHere(place, [], { engineOptions: { model: { provider: 'mine', stream: () => 'Hello.' } } }),
    told: [
      'result: stream() of the model mine returned a string; expected an async iterable of events: async *stream() {…}',
    ],
  },
  {
    what: 'a model that throws',
    make(place) {
      const stream = () => {
        throw new TypeError('no socket');
      };
      return askHere(place, [], { engineOptions: { model: { provider: 'mine', stream } } });
    },
    told: ['warns with a stack: The turn failed: no socket', 'result: no socket'],
  },
  {
    what: 'a misspelt tool, behind a transport',
    make: (place) => askHere(place, ['Well.'], { options: { disallowedTools: ['Bsh'] } }),
    told: ["throws run_failed: The run could not start: --disallowedTools names the tool 'Bsh'; did you mean 'Bash'?"],
  },
  {
    what: 'a rule for a tool that the engine does not have',
    make: (place) => askHere(place, ['Well.'], { options: { allowedTools: ['Terraform'] } }),
    told: ['warns: The rule Terraform (--allowedTools) matches nothing: there is no tool Terraform.'],
  },
  {
    what: 'resolveSettings without a directory',
    make: () => (engine.resolveSettings as Wrong)({}),
    told: [
      'throws invalid_option: resolveSettings needs cwd: resolveSettings({ cwd: process.cwd(), env: process.env })',
    ],
  },
  {
    what: 'a store of files without a home',
    make: () => (createJsonlStore as Wrong)({ hom: '/srv' }),
    told: ["throws invalid_option: createJsonlStore needs home, a directory: createJsonlStore({ home: '…' })"],
  },
  {
    what: 'a prompt for a session that was closed',
    make: (place) => closedSession(place).then((session) => session.ask('hello')),
    told: [
      'throws closed: This conversation is closed: createSession() opens another, resumeSession(id) goes on with this one',
    ],
  },
  {
    what: 'options of send that there are none of',
    make: (place) => openSession(place, (session) => session.send('hello', { restoreFile: true } as Wrong)),
    told: ["throws invalid_option: There is no option 'restoreFile' here; did you mean 'restoreFiles'?"],
  },
  {
    what: 'files of a session that keeps none',
    make: (place) =>
      openSession(place, async (session) => {
        const { uuid } = await session.ask('hello');
        return session.edit(uuid, 'hello again', { restoreFiles: true });
      }),
    told: [
      'throws invalid_option: Files cannot be restored: the session was started without enableFileCheckpointing, or CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING=true; the message was not sent',
    ],
  },
  {
    what: 'a prompt to edit that was never sent',
    make: (place) => openSession(place, (session) => session.edit('nobody', 'hello')),
    told: [
      'throws unknown_parent: No prompt of this session has the uuid nobody, so it cannot be edited; the message was not sent',
    ],
  },
  {
    what: 'a mode that there is none of, later',
    make: (place) => openSession(place, (session) => session.setPermissionMode('yolo' as Wrong)),
    told: [
      "throws control_error: Unknown permission mode 'yolo': use one of acceptEdits, auto, bypassPermissions, default, delegate, dontAsk, manual, plan",
    ],
  },
];

type Session = ReturnType<typeof sdk.createSession>;

async function openSession<T>({ cwd, env }: Place, use: (session: Session) => Promise<T>): Promise<T> {
  const session = sdk.createSession({ cwd, env, model: 'offline' });
  try {
    return await use(session);
  } finally {
    await session.close();
  }
}

async function closedSession({ cwd, env }: Place): Promise<Session> {
  const session = sdk.createSession({ cwd, env, model: 'offline' });
  await session.close();
  return session;
}
