import { type JsonObject, stringField } from '../../util/json.ts';
import { parsedRule } from '../questions/rule-text.ts';
import type { Stage } from '../stage/stage.ts';

/** The field that stands between the parentheses of a written call, and what else such a call needs. */
const INPUTS: Readonly<Record<string, (text: string) => JsonObject>> = {
  Bash: (command) => ({ command }),
  Read: (file_path) => ({ file_path }),
  Write: (file_path) => ({ file_path, content: '' }),
  Edit: (file_path) => ({ file_path, old_string: 'a', new_string: 'b' }),
  Glob: (pattern) => ({ pattern }),
  Grep: (pattern) => ({ pattern }),
  WebFetch: (url) => ({ url, prompt: 'Read it' }),
  WebSearch: (query) => ({ query }),
};

/** What a call as `Bash(npm test)`, or as a tool and its input in JSON, would meet now. Nothing runs. */
export async function verdictOn(text: string, stage: Stage): Promise<string[]> {
  const { tool, input } = parsedCall(text);
  const answer = await stage.call({ subtype: 'explain_permission', tool_name: tool, input });
  const rule = stringField(answer, 'rule');
  const where = stringField(answer, 'where');
  return [
    `${stringField(answer, 'behavior') ?? '?'}: ${text}`,
    `  ${stringField(answer, 'reason') ?? ''}`,
    ...(rule === undefined ? [] : [`  ${rule}${where === undefined ? '' : ` \u00b7 ${where}`}`]),
  ];
}

function parsedCall(text: string): { tool: string; input: JsonObject } {
  const [, named, json] = /^\s*([\w-]+)\s*(\{[\s\S]*\})\s*$/.exec(text) ?? [];
  if (named !== undefined && json !== undefined) return { tool: named, input: JSON.parse(json) };
  const parsed = parsedRule(text);
  if (!parsed) throw new Error('write the call as Tool(what), or as Tool {"field": …}');
  const { toolName, ruleContent = '' } = parsed;
  const inputOf = INPUTS[toolName];
  if (!inputOf && ruleContent !== '')
    throw new Error(`write the input of ${toolName} as JSON: ${toolName} {"field": …}`);
  return { tool: toolName, input: inputOf?.(ruleContent) ?? {} };
}
