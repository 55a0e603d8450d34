import { isObject, type JsonObject, stringField } from '../util/json.ts';
import { objectsIn, textField, textsIn } from './line-fields.ts';
import type { SessionInfo } from './view.ts';

export const NO_INFO: SessionInfo = {
  sessionId: null,
  title: null,
  cwd: '',
  model: '',
  mode: '',
  effort: null,
  version: '',
  keySource: '',
  modelProblem: null,
  outputStyle: '',
  tools: [],
  servers: [],
  commands: [],
  agents: [],
  skills: [],
  directories: [],
  capabilities: [],
  trust: null,
  sandbox: null,
};

/** What an `init` line tells. Descriptions of commands are only in the answer to `initialize`. */
export function infoOfInit(before: SessionInfo, line: JsonObject): SessionInfo {
  const known = new Map(before.commands.map((command) => [command.name, command]));
  const bare = (name: string) => ({ name, description: '', argumentHint: '', aliases: [] });
  return {
    ...before,
    sessionId: stringField(line, 'session_id') ?? before.sessionId,
    cwd: textField(line, 'cwd'),
    model: textField(line, 'model'),
    mode: textField(line, 'permissionMode'),
    effort: stringField(line, 'effort') ?? null,
    version: textField(line, 'heddle_version') || textField(line, 'claude_code_version'),
    keySource: textField(line, 'apiKeySource'),
    outputStyle: textField(line, 'output_style'),
    tools: textsIn(line, 'tools'),
    servers: objectsIn(line, 'mcp_servers').map(serverOf),
    commands: textsIn(line, 'slash_commands').map((name) => known.get(name) ?? bare(name)),
    agents: textsIn(line, 'agents'),
    skills: textsIn(line, 'skills'),
    directories: textsIn(line, 'additional_directories'),
    capabilities: textsIn(line, 'capabilities'),
    trust: isObject(line.trust) ? line.trust : null,
    sandbox: isObject(line.sandbox) ? line.sandbox : null,
  };
}

/** What the answer to `initialize` tells. */
export function infoOfAnswer(before: SessionInfo, answer: JsonObject): SessionInfo {
  const capabilities = textsIn(answer, 'capabilities');
  const agents = objectsIn(answer, 'agents').map((agent) => textField(agent, 'name'));
  return {
    ...withCommands(before, answer),
    sessionId: stringField(answer, 'session_id') ?? before.sessionId,
    mode: textField(answer, 'current_permission_mode') || before.mode,
    version: textField(answer, 'heddle_version') || before.version,
    keySource: textField(answer.account, 'apiKeySource') || before.keySource,
    modelProblem: stringField(answer.account, 'problem') ?? null,
    outputStyle: textField(answer, 'output_style') || before.outputStyle,
    agents: agents.length > 0 ? agents : before.agents,
    capabilities: capabilities.length > 0 ? capabilities : before.capabilities,
  };
}

/** The commands that a line or an answer lists replace the earlier ones. */
export function withCommands(before: SessionInfo, from: JsonObject): SessionInfo {
  if (!Array.isArray(from.commands)) return before;
  const commands = objectsIn(from, 'commands').map((command) => ({
    name: textField(command, 'name'),
    description: textField(command, 'description'),
    argumentHint: textField(command, 'argumentHint'),
    aliases: textsIn(command, 'aliases'),
  }));
  return { ...before, commands };
}

function serverOf(server: JsonObject): SessionInfo['servers'][number] {
  return {
    name: textField(server, 'name'),
    status: textField(server, 'status'),
    source: stringField(server, 'source') ?? null,
  };
}
