import { isObject, type JsonObject, stringField } from '../util/json.ts';
import type { ClientFeatures } from './client-features.ts';
import { diffsOf } from './file-diffs.ts';
import type { RpcLink } from './rpc-link.ts';
import { kindOf, locationsOf, textContent, titleOf } from './tool-calls.ts';

export interface Asking {
  link: RpcLink;
  sessionId: string;
  cwd: string;
  features: ClientFeatures;
}

interface Option {
  id: string;
  name: string;
  kind: 'allow_once' | 'allow_always' | 'reject_once';
  answer: JsonObject;
}

const SAID_NO = 'The user said no to this call.';
const DISMISSED = 'The user closed the question.';

/** Puts a question about a call to the person at the editor. Rejects when the signal aborts. */
export async function askPermission(request: JsonObject, asking: Asking, signal: AbortSignal): Promise<JsonObject> {
  const tool = stringField(request, 'tool_name') ?? '';
  if (tool === 'AskUserQuestion') return askUser(request, asking, signal);
  const options = tool === 'ExitPlanMode' ? planOptions() : optionsOf(request);
  return choose(request, options, asking, signal);
}

async function choose(
  request: JsonObject,
  options: readonly Option[],
  { link, sessionId, cwd }: Asking,
  signal: AbortSignal,
): Promise<JsonObject> {
  const tool = stringField(request, 'tool_name') ?? '';
  const toolCall = {
    ...{ toolCallId: stringField(request, 'tool_use_id') ?? '', name: tool, kind: kindOf(tool), status: 'pending' },
    title: stringField(request, 'title') ?? titleOf(tool, request.input),
    ...{ rawInput: request.input ?? {}, locations: locationsOf(tool, request.input, cwd) },
    content: contentOf(request),
  };
  const offered = options.map(({ id, name, kind }) => ({ optionId: id, name, kind }));
  const { outcome } = await link.call('session/request_permission', { sessionId, toolCall, options: offered }, signal);
  const chosen = isObject(outcome) && outcome.outcome === 'selected' ? outcome.optionId : undefined;
  return options.find(({ id }) => id === chosen)?.answer ?? { behavior: 'deny', message: DISMISSED };
}

/** The change that the call would make, and why the session asks. */
function contentOf({ preview, description, decision_reason, tool_name, input }: JsonObject): JsonObject[] {
  const reason = [description, decision_reason].find((text) => typeof text === 'string' && text !== '');
  const diffs =
    isObject(preview) && preview.kind === 'patch' && Array.isArray(preview.hunks)
      ? diffsOf({
          file: stringField(preview, 'file') ?? '',
          hunks: preview.hunks,
          ...{ added: 0, removed: 0, isNew: preview.is_new === true },
        })
      : [];
  const plan = tool_name === 'ExitPlanMode' ? (stringField(input, 'plan') ?? '') : '';
  return [
    ...(plan === '' ? [] : [textContent(plan)]),
    ...diffs,
    ...(typeof reason === 'string' ? [textContent(reason)] : []),
  ];
}

function optionsOf(request: JsonObject): Option[] {
  const all = Array.isArray(request.permission_suggestions) ? request.permission_suggestions.filter(isObject) : [];
  const suggestions = request.suppress_always_allow_rule === true ? [] : all;
  const once: Option = { id: 'allow', name: 'Allow once', kind: 'allow_once', answer: { behavior: 'allow' } };
  const reject: Option = {
    ...{ id: 'reject', name: 'Reject', kind: 'reject_once' },
    answer: { behavior: 'deny', message: SAID_NO },
  };
  const always = suggestions.length === 0 ? [] : alwaysOptions(suggestions);
  return request.default_to_no === true ? [reject, once, ...always] : [once, ...always, reject];
}

/** One for each place where the rule can be kept. A change of the mode is always for the session. */
function alwaysOptions(suggestions: readonly JsonObject[]): Option[] {
  const at = (destination: string) => suggestions.map((each) => ({ ...each, destination }));
  const what = suggestions
    .map(describe)
    .filter((text) => text !== '')
    .join(', ');
  const session: Option = {
    ...{ id: 'allow_session', name: `Allow in this session: ${what}`, kind: 'allow_always' },
    answer: { behavior: 'allow', updatedPermissions: at('session') },
  };
  if (!suggestions.some(({ type }) => type === 'addRules')) return [session];
  const project: Option = {
    ...{ id: 'allow_project', name: `Allow in this project: ${what}`, kind: 'allow_always' },
    answer: { behavior: 'allow', updatedPermissions: at('localSettings') },
  };
  return [session, project];
}

function describe(update: JsonObject): string {
  const rules = Array.isArray(update.rules) ? update.rules.filter(isObject) : [];
  const texts = rules.map((rule) => {
    const content = stringField(rule, 'ruleContent');
    return `${stringField(rule, 'toolName') ?? ''}${content === undefined ? '' : `(${content})`}`;
  });
  const directories = Array.isArray(update.directories) ? update.directories.map(String) : [];
  const mode = stringField(update, 'mode');
  return [...texts, ...directories, ...(mode ? [`the mode ${mode}`] : [])].join(', ');
}

function planOptions(): Option[] {
  const withMode = (mode: string) => ({
    behavior: 'allow',
    updatedPermissions: [{ type: 'setMode', mode, destination: 'session' }],
  });
  return [
    { id: 'accept_edits', name: 'Go on and accept edits', kind: 'allow_always', answer: withMode('acceptEdits') },
    { id: 'ask', name: 'Go on and ask for each change', kind: 'allow_once', answer: withMode('default') },
    {
      ...{ id: 'reject', name: 'Keep planning', kind: 'reject_once' },
      answer: { behavior: 'deny', message: 'The user wants to keep planning.' },
    },
  ];
}

/** Questions of the model: a form where the editor has forms, else one choice after the other. */
async function askUser(request: JsonObject, asking: Asking, signal: AbortSignal): Promise<JsonObject> {
  const input = isObject(request.input) ? request.input : {};
  const questions = (Array.isArray(input.questions) ? input.questions : []).filter(isObject).map(readQuestion);
  const answers: Record<string, string> | null = asking.features.forms
    ? await askByForm(questions, request, asking, signal)
    : await askOneByOne(questions, request, asking, signal);
  if (answers === null) return { behavior: 'deny', message: 'The user did not answer.' };
  return { behavior: 'allow', updatedInput: { ...input, answers } };
}

interface UserQuestion {
  text: string;
  header: string;
  isMany: boolean;
  choices: readonly { label: string; description: string }[];
}

function readQuestion(question: JsonObject): UserQuestion {
  const options = Array.isArray(question.options) ? question.options.filter(isObject) : [];
  return {
    text: stringField(question, 'question') ?? '',
    header: stringField(question, 'header') ?? '',
    isMany: question.multiSelect === true,
    choices: options.map((each) => ({
      label: stringField(each, 'label') ?? '',
      description: stringField(each, 'description') ?? '',
    })),
  };
}

async function askByForm(
  questions: readonly UserQuestion[],
  request: JsonObject,
  { link, sessionId }: Asking,
  signal: AbortSignal,
): Promise<Record<string, string> | null> {
  const fields = questions.map(({ text, header, isMany, choices }) => {
    const options = choices.map(({ label, description }) => ({ const: label, title: label, description }));
    const about = { title: header || text, description: text };
    return isMany
      ? { type: 'array', ...about, items: { anyOf: options } }
      : { type: 'string', ...about, oneOf: options };
  });
  const requestedSchema = {
    type: 'object',
    properties: Object.fromEntries(fields.map((field, at) => [`q${at + 1}`, field])),
    required: fields.map((_, at) => `q${at + 1}`),
  };
  const message = questions.length === 1 ? (questions[0]?.text ?? '') : `${questions.length} questions`;
  const toolCallId = stringField(request, 'tool_use_id');
  const scope = { sessionId, ...(toolCallId !== undefined && { toolCallId }) };
  const answer = await link.call('elicitation/create', { ...scope, mode: 'form', message, requestedSchema }, signal);
  if (answer.action !== 'accept' || !isObject(answer.content)) return null;
  const { content } = answer;
  const answers: Record<string, string> = {};
  for (const [at, { text, isMany }] of questions.entries()) {
    const answer = formAnswer(content[`q${at + 1}`], { isMany });
    if (answer === null) return null;
    answers[text] = answer;
  }
  return answers;
}

/** Null for what is no answer to the question. */
function formAnswer(value: unknown, { isMany }: { isMany: boolean }): string | null {
  if (!isMany) return typeof value === 'string' ? value : null;
  if (!Array.isArray(value) || !value.every((each) => typeof each === 'string')) return null;
  return value.join(', ');
}

async function askOneByOne(
  questions: readonly UserQuestion[],
  request: JsonObject,
  asking: Asking,
  signal: AbortSignal,
): Promise<Record<string, string> | null> {
  const answers: Record<string, string> = {};
  for (const { text, choices } of questions) {
    const options = choices.map(({ label, description }, at): Option => {
      const name = description === '' ? label : `${label}: ${description}`;
      return { id: `choice-${at + 1}`, name, kind: 'allow_once', answer: { label } };
    });
    const none: Option = { id: 'reject', name: 'No answer', kind: 'reject_once', answer: {} };
    const answer = await choose({ ...request, title: text }, [...options, none], asking, signal);
    const label = stringField(answer, 'label');
    if (label === undefined) return null;
    answers[text] = label;
  }
  return answers;
}

/** A question of an MCP server. What the editor cannot show is declined. */
export async function askElicitation(request: JsonObject, asking: Asking, signal: AbortSignal): Promise<JsonObject> {
  const { link, sessionId, features } = asking;
  const isUrl = request.mode === 'url';
  if (isUrl ? !features.urls : !features.forms) return { action: 'decline' };
  const server = stringField(request, 'mcp_server_name') ?? '';
  const message = `${server}: ${stringField(request, 'message') ?? ''}`;
  const body = isUrl
    ? { mode: 'url', url: request.url, elicitationId: request.elicitation_id ?? `${sessionId}-${server}` }
    : { mode: 'form', requestedSchema: request.requested_schema ?? { type: 'object', properties: {} } };
  const { action, content } = await link.call('elicitation/create', { sessionId, message, ...body }, signal);
  const known = action === 'accept' || action === 'decline' ? action : 'cancel';
  return { action: known, ...(known === 'accept' && isObject(content) && { content }) };
}
