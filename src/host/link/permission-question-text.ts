import type { AskRequest } from '../../agent/calls/gate.ts';
import { stringField } from '../../util/json.ts';
import { asEscape, printable } from '../../util/text/printable.ts';

/** The texts of a dialog. Text of the model stands only after a colon, whole and escaped. */
export interface QuestionText {
  /** The whole question as a sentence. */
  title: string;
  /** The kind of action, in a word or two. */
  displayName: string;
  /** The reason for the question; null when it is too long to be shown whole. */
  description: string | null;
  /** Whether the title shows the whole action without escapes. */
  isPlain: boolean;
  /** Whether a person answers, rather than allows. */
  isForPerson: boolean;
}

/** A longer text is not shown at all, because the end of a command may be what matters. */
const MAX_SHOWN = 500;

export function questionText(request: AskRequest): QuestionText {
  const reason = escaped(request.decision.reason);
  const description = reason.length > MAX_SHOWN ? null : reason;
  const asked = QUESTIONS.get(request.toolName);
  if (asked) return { ...asked, description, isPlain: true, isForPerson: true };
  const { displayName, wants, subject } = actionOf(request);
  return { displayName, description, isForPerson: false, ...sentence(wants, subject) };
}

/** Tools whose call a person answers, rather than allows. */
const QUESTIONS = new Map([
  ['AskUserQuestion', { displayName: 'Answer questions', title: 'Heddle has questions for you' }],
  ['ExitPlanMode', { displayName: 'Approve plan', title: 'Heddle has a plan, and wants to begin' }],
]);

interface Action {
  displayName: string;
  /** Follows "Heddle wants to". */
  wants: string;
  /** The object of the action. */
  subject: string | undefined;
}

function actionOf({ toolName, input, server }: AskRequest): Action {
  if (server) return { displayName: 'Use MCP tool', wants: 'use a tool of an MCP server', subject: toolName };
  const known = ACTIONS.get(toolName);
  if (!known) return { displayName: 'Use tool', wants: 'use the tool', subject: toolName };
  const [displayName, wants, ...fields] = known;
  const subject = fields.map((field) => stringField(input, field)).find((text) => text !== undefined);
  return { displayName, wants, subject };
}

/** By tool: a label, what it wants to do, and the input fields that may name the object. The first one present counts. */
const ACTIONS: ReadonlyMap<string, readonly [label: string, wants: string, ...fields: string[]]> = new Map([
  ['Bash', ['Run command', 'run', 'command']],
  ['Read', ['Read file', 'read', 'file_path']],
  ['Write', ['Write file', 'write', 'file_path']],
  ['Edit', ['Edit file', 'edit', 'file_path']],
  ['MultiEdit', ['Edit file', 'edit', 'file_path']],
  ['NotebookEdit', ['Edit notebook', 'edit', 'notebook_path']],
  ['Glob', ['Find files', 'look for files', 'path', 'pattern']],
  ['Grep', ['Search files', 'search files', 'path']],
  ['WebFetch', ['Fetch page', 'fetch', 'url']],
  ['WebSearch', ['Search the web', 'search the web', 'query']],
  ['Task', ['Start agent', 'start an agent', 'subagent_type']],
  ['Skill', ['Use skill', 'use the skill', 'skill']],
]);

function sentence(wants: string, subject: string | undefined): Pick<QuestionText, 'title' | 'isPlain'> {
  const title = `Heddle wants to ${wants}`;
  if (subject === undefined) return { title, isPlain: true };
  const shown = escaped(subject);
  if (shown.length <= MAX_SHOWN) return { title: `${title}: ${shown}`, isPlain: shown === subject };
  return { title: `${title} what is too long to be shown here: ${subject.length} characters`, isPlain: false };
}

/**
 * Escapes characters that are invisible or change how the rest looks: control characters, and characters without a width.
 */
function escaped(text: string): string {
  return printable(text).replaceAll(/\p{Default_Ignorable_Code_Point}/gu, asEscape);
}
