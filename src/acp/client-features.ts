import { isObject, type JsonObject } from '../util/json.ts';

/** What an editor has said that it can do. Everything is optional in the protocol. */
export interface ClientFeatures {
  notices: boolean;
  compaction: boolean;
  /** Options that are on or off. */
  switches: boolean;
  forms: boolean;
  /** Shows agents as sessions of their own, below the one that runs them. */
  subagents: boolean;
  urls: boolean;
  /** Shows output of commands in a terminal of its own. */
  terminalOutput: boolean;
  /** Can start a login in a terminal. */
  terminalLogin: boolean;
}

export function clientFeatures(capabilities: unknown): ClientFeatures {
  const session = at(capabilities, 'session');
  const elicitation = at(capabilities, 'elicitation');
  return {
    notices: has(session, 'notices'),
    compaction: has(session, 'compaction'),
    switches: has(at(session, 'configOptions'), 'boolean'),
    forms: has(elicitation, 'form'),
    subagents: isObject(capabilities) && has(capabilities, 'subagents'),
    urls: has(elicitation, 'url'),
    terminalOutput: at(capabilities, '_meta').terminal_output === true,
    terminalLogin: at(capabilities, 'auth').terminal === true,
  };
}

function at(value: unknown, name: string): JsonObject {
  const found = isObject(value) ? value[name] : undefined;
  return isObject(found) ? found : {};
}

function has(value: JsonObject, name: string): boolean {
  const found = value[name];
  return found !== undefined && found !== null && found !== false;
}
