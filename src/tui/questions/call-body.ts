import { domainToUnicode } from 'node:url';
import { isObject, type JsonObject, stringField } from '../../util/json.ts';
import type { Row } from '../rows/row.ts';
import type { RowContext } from '../rows/row-context.ts';
import { type Body, type BodyOptions, bodyOfRows, factRows, joinedBodies } from './body.ts';
import { commandBody } from './command-body.ts';
import { fileChangeBody } from './file-change-body.ts';
import { span, spanRows, textRows } from './shown-text.ts';

/** What a call would do, as its question shows it: everything that the model wrote stands behind a colon, escaped. */
export function callBody(request: JsonObject, options: BodyOptions): Body {
  const input = isObject(request.input) ? request.input : {};
  const { context } = options;
  const facts = (...names: string[]) => bodyOfRows(factRows(factsOf(input, names), context));
  switch (stringField(request, 'tool_name')) {
    case 'Bash':
      return commandBody(request, input, context);
    case 'Edit':
    case 'MultiEdit':
    case 'Write':
    case 'NotebookEdit':
      return fileChangeBody(request, input, options);
    case 'Read':
    case 'Glob':
    case 'Grep':
      return joinedBodies([facts('path', 'pattern', 'glob', 'offset', 'limit'), outsideBody(request, input, options)]);
    case 'WebFetch':
      return joinedBodies([bodyOfRows(addressRows(stringField(input, 'url') ?? '', context)), facts('prompt')]);
    case 'WebSearch':
      return facts('query', 'allowed_domains', 'blocked_domains');
    case 'Skill':
      return facts('skill', 'args');
    case 'Task':
    case 'Agent':
      return facts('subagent_type', 'description', 'model', 'mode', 'isolation', 'run_in_background', 'prompt');
    default:
      return serverBody(request, input, context);
  }
}

function factsOf(input: JsonObject, names: readonly string[]): [string, string][] {
  return names.flatMap((name): [string, string][] => {
    const value = input[name];
    if (value === undefined || value === null || value === '') return [];
    return [[name.replaceAll('_', ' '), typeof value === 'string' ? value : JSON.stringify(value)]];
  });
}

/** The real path, and what it is outside of. */
function outsideBody({ blocked_path: blocked }: JsonObject, input: JsonObject, { context, info }: BodyOptions): Body {
  const path = typeof blocked === 'string' ? blocked : stringField(input, 'file_path');
  const roots = [...new Set([info.cwd, ...info.directories])].filter((each) => each !== '');
  return bodyOfRows(
    factRows(
      [
        ...(path ? ([['path', path]] as const) : []),
        ...(roots.length > 0 ? ([['directories of this session', roots.join(', ')]] as const) : []),
      ],
      context,
    ),
  );
}

/** The whole address with its host in bold; a host with other letters than ASCII in both of its forms. */
function addressRows(url: string, context: RowContext): Row[] {
  if (!URL.canParse(url)) return textRows(url, { context, style: 'code' });
  const { hostname } = new URL(url);
  const at = url.toLowerCase().indexOf(hostname.toLowerCase());
  const spans =
    at === -1
      ? [span(url, 'code')]
      : [
          span(url.slice(0, at), 'code'),
          span(url.slice(at, at + hostname.length), 'strong'),
          span(url.slice(at + hostname.length), 'code'),
        ];
  const other = domainToUnicode(hostname);
  const forms = other === '' || other === hostname ? [] : factRows([['host', `${hostname} = ${other}`]], context);
  return [...spanRows(spans, { context }), ...forms];
}

/** A tool of a server, or of the program: who has defined it, and its input. */
function serverBody({ mcp_server: server }: JsonObject, input: JsonObject, context: RowContext): Body {
  const facts: [string, string][] = isObject(server)
    ? [['server', `${stringField(server, 'name') ?? ''} (defined by: ${stringField(server, 'source') ?? 'unknown'})`]]
    : [];
  const json = JSON.stringify(input, null, 2);
  return bodyOfRows([...factRows(facts, context), ...textRows(json, { context, style: 'code' })]);
}
