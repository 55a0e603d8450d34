import { useEffect, useRef, useState } from 'preact/hooks';
import { readEvents } from './read-events.ts';
import { type Source, SourceError } from './source.ts';
import { type Fields, isFields, textIn } from './values.ts';

export interface OpenQuestion {
  id: string;
  request: Fields;
}

/** What a page does with the turns of a session: prompts, answers to questions, the interrupt. */
export interface Turns {
  /** What the model writes now, and is not stored yet. */
  partial: string;
  isRunning: boolean;
  questions: OpenQuestion[];
  problem: string | null;
  /** `parent`: the message below which the prompt goes; undefined: where the conversation continues. */
  prompt(
    text: string,
    options: { cwd: string | null; parent?: string | null; images?: readonly Image[] },
  ): Promise<void>;
  answer(question: string, answer: Fields): Promise<void>;
  interrupt(): Promise<void>;
}

export interface Image {
  type: string;
  data: string;
}

const LOOK_MS = 250;
const AT_WORK_MS = 1000;

export function useTurns(source: Source, id: string, isWanted: boolean): Turns {
  const [partial, setPartial] = useState('');
  const [isRunning, setIsRunning] = useState(false);
  const [questions, setQuestions] = useState<OpenQuestion[]>([]);
  const [problem, setProblem] = useState<string | null>(null);
  /** Counts up when the server got to know the session. */
  const [known, setKnown] = useState(0);
  const text = useRef('');
  const base = `/v1/sessions/${id}`;

  useEffect(() => {
    if (!isWanted || source.kind === 'file') return;
    const stop = new AbortController();
    text.current = '';
    setPartial('');
    setQuestions([]);
    setIsRunning(false);
    const look = async () => {
      const { questions: open } = await source.send('GET', `${base}/questions?state=open`);
      const { state } = await source.send('GET', base);
      if (stop.signal.aborted) return;
      setQuestions((Array.isArray(open) ? open : []) as OpenQuestion[]);
      const isAtWork = state === 'running' || state === 'requires_action' || state === 'queued';
      setIsRunning(isAtWork);
      // A question opens a moment after the line of its call.
      if (isAtWork) lookSoon(AT_WORK_MS);
    };
    let timer: ReturnType<typeof setTimeout> | undefined;
    const lookSoon = (ms = LOOK_MS) => {
      timer ??= setTimeout(() => {
        timer = undefined;
        look().catch(() => {});
      }, ms);
    };
    const follow = async () => {
      // Asking for a session that the server does not know would be an error: it is looked for instead.
      const { sessions } = await source.send('GET', `/v1/sessions?q=${id}&limit=1`);
      if (!Array.isArray(sessions) || sessions.length === 0) return;
      await look();
      for (;;) {
        const answer = await source.stream(`${base}/events/stream?deltas=true`, stop.signal);
        for await (const { event, data } of readEvents(answer)) {
          const delta = event === 'stream_event' ? deltaIn(data) : null;
          if (delta !== null) {
            text.current += delta;
            setPartial(text.current);
          } else if (event !== 'stream_event') {
            if (event === 'assistant' || event === 'result') {
              text.current = '';
              setPartial('');
            }
            lookSoon();
          }
        }
        await new Promise((resolve) => setTimeout(resolve, 1000));
        if (stop.signal.aborted) return;
      }
    };
    // A session that the server does not know yet is made known by the first prompt.
    follow().catch((error) => {
      if (!stop.signal.aborted && !(error instanceof SourceError && error.status === 404)) setProblem(error.message);
    });
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [source, id, isWanted, known]);

  const tried = async (work: () => Promise<unknown>) => {
    try {
      setProblem(null);
      await work();
    } catch (error) {
      setProblem((error as Error).message);
      throw error;
    }
  };
  return {
    ...{ partial, isRunning, questions, problem },
    prompt: (prompt, { cwd, parent, images = [] }) =>
      tried(async () => {
        if (await isMadeKnown(source, id, cwd)) setKnown((count) => count + 1);
        const parented = parent !== undefined && { parent_uuid: parent };
        await source.send('POST', `${base}/messages`, { content: contentOf(prompt, images), ...parented });
        setIsRunning(true);
      }),
    answer: (question, answer) =>
      tried(async () => {
        await source.send('POST', `/v1/questions/${question}/answer`, answer);
        setQuestions((all) => all.filter((each) => each.id !== question));
      }),
    interrupt: () => tried(() => source.send('POST', `${base}/interrupt`, {})),
  };
}

function contentOf(prompt: string, images: readonly Image[]): unknown {
  if (images.length === 0) return prompt;
  const blocks = images.map(({ type, data }) => ({
    type: 'image',
    source: { type: 'base64', media_type: type, data },
  }));
  return [...blocks, { type: 'text', text: prompt }];
}

/** Whether the server had to be told of the session. */
async function isMadeKnown(source: Source, id: string, cwd: string | null): Promise<boolean> {
  try {
    const workspace = cwd === null ? {} : { workspace: { kind: 'directory', path: cwd } };
    await source.send('POST', '/v1/sessions', { id, ...workspace });
    return true;
  } catch (error) {
    if (error instanceof SourceError && error.code === 'session_exists') return false;
    throw error;
  }
}

function deltaIn(data: string): string | null {
  try {
    const line: unknown = JSON.parse(data);
    const event = isFields(line) && line.parent_tool_use_id == null ? line.event : undefined;
    const delta = isFields(event) ? event.delta : undefined;
    return textIn(delta, 'type') === 'text_delta' ? (textIn(delta, 'text') ?? null) : null;
  } catch {
    return null;
  }
}
