import { isObject, type JsonObject, stringField } from '../util/json.ts';
import { subjectOf } from './call-view.ts';
import { textField } from './line-fields.ts';
import type { Question, TaskView } from './view.ts';

/** The question that a control request of the agent is; null where no person is asked. */
export function questionOf(frame: JsonObject, tasks: readonly TaskView[]): Question | null {
  const { request } = frame;
  const id = stringField(frame, 'request_id');
  if (id === undefined || !isObject(request)) return null;
  if (request.subtype === 'elicitation') return { id, kind: 'elicitation', request, call: null, agent: null };
  if (request.subtype !== 'can_use_tool') return null;
  const name = textField(request, 'tool_name');
  const call = { id: textField(request, 'tool_use_id'), name, subject: subjectOf(request.input) };
  return { id, kind: kindOf(name), request, call, agent: agentOf(request, tasks) };
}

function kindOf(tool: string): Question['kind'] {
  if (tool === 'ExitPlanMode') return 'plan';
  return tool === 'AskUserQuestion' ? 'choices' : 'permission';
}

function agentOf(request: JsonObject, tasks: readonly TaskView[]): Question['agent'] {
  const id = stringField(request, 'agent_id');
  if (id === undefined) return null;
  const task = tasks.find((each) => each.id === id);
  return { id, name: task ? task.description || task.agent || id : id };
}
