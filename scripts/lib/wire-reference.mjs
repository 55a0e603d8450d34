// The text of docs/reference/wire.md: every line that agent and host exchange, and every entry of a session file, from
// the published schemas and the comments in src/wire.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadSources } from './load-sources.mjs';
import { refsIn, typeText } from './schema-types.mjs';
import { wireComments } from './source-comments.mjs';
import { root } from './tree.mjs';
import { exampleOf } from './wire-examples.mjs';

export async function wireReference() {
  const { WIRE_VERSION, PROTOCOL_VERSION, messageSchemas } = await loadSources(`export * from './src/wire/index.ts';`);
  const comments = wireComments();
  const [messages, control, entries] = ['messages', 'control', 'entries'].map(readSchema);
  const printed = kindsOf(messageSchemas, messages, comments);
  return [
    introduction({ wire: WIRE_VERSION, protocol: PROTOCOL_VERSION }),
    section('Messages from the agent', AGENT_SAYS, printed),
    section('Messages from the host', HOST_SAYS, [
      { title: 'input user', definition: 'UserInput', schema: messages, comments, note: 'wire' },
    ]),
    controlSection(control, comments),
    section('Session entries', ENTRIES, entryKinds(entries, comments)),
    partsSection([messages, control, entries], comments),
  ].join('\n');
}

function readSchema(name) {
  return JSON.parse(readFileSync(join(root, `schema/${name}.json`), 'utf8'));
}

function introduction({ wire, protocol }) {
  return `<!-- Written by \`npm run docs\`. Do not edit: change the sources and run it again. -->
# Wire reference

Wire version ${wire}, that of the reference; Heddle's additions to it are protocol version ${protocol}. This is the whole protocol, with
kinds that only the reference prints: [the wire](../wire.md) tells which ones Heddle uses, when and what for. The same as
JSON Schema is in \`schema/\`.

In the tables, \`?\` marks a field that may be absent, **H** one that Heddle has added; \`…\` at the end of a list: more values may
come. Objects may have more fields than listed: accept them. Names in types are [shared types](#shared-types). Examples have
the required fields and some others.
`;
}

const AGENT_SAYS = 'What the agent prints on stdout, one object a line. `type/subtype` is the heading.';
const HOST_SAYS = 'What the agent reads on stdin, besides [control](#control).';
const ENTRIES = `The lines of a session file. The first five are nodes of the tree, by \`uuid\` and \`parentUuid\`; Heddle keeps other kinds of
entries unchanged.`;

/** Kinds with one schema are one section. */
function kindsOf(schemas, document, comments) {
  const titles = new Map();
  const names = Object.keys(document.$defs);
  for (const [kind, schema] of Object.entries(schemas)) titles.set(schema, [...(titles.get(schema) ?? []), kind]);
  return [...titles.values()].map((kinds) => {
    const definition = names.find((name) => describes(document.$defs[name], kinds));
    if (!definition) throw new Error(`schema/messages.json does not describe ${kinds}`);
    return { title: kinds.join(', '), definition, schema: document, comments, note: 'wire' };
  });
}

/** Lines that have no uuid. */
const WITHOUT_UUID = new Set(['keep_alive', 'transcript_mirror']);

function describes({ properties = {} }, [kind]) {
  const [type, subtype] = kind.split('/');
  if (properties.type?.const !== type || !properties.uuid !== WITHOUT_UUID.has(type)) return false;
  const said = properties.subtype?.const ?? properties.subtype?.enum?.[0];
  const isInput = properties.client_composed !== undefined;
  return said === subtype && !isInput;
}

function entryKinds(document, comments) {
  return document.anyOf.map(({ $ref }) => {
    const definition = $ref.replace('#/$defs/', '');
    const title = document.$defs[definition].properties.type.const;
    return { title: `entry ${title}`, definition, schema: document, comments, note: 'entries' };
  });
}

function section(title, text, kinds) {
  return [`## ${title}`, '', text, '', ...kinds.map(kindText)].join('\n');
}

function kindText({ title, definition, schema, comments, note }) {
  const told = comments.get(definition);
  const example = exampleOf(schema.$defs[definition], { defs: schema.$defs, of: definition });
  return [
    `### ${title}`,
    '',
    ...paragraph([told?.own && '**H**', told?.text].filter(Boolean).join(' ')),
    fieldTable(schema.$defs[definition], told?.members),
    exampleBlock([example], note),
  ].join('\n');
}

function paragraph(text) {
  return text === '' ? [] : [text, ''];
}

/** Without `type` and `subtype`, which the heading says. */
function fieldTable({ properties = {}, required = [] }, members = new Map()) {
  const isSaid = (name, field) => (name === 'type' || name === 'subtype') && field.const !== undefined;
  const fields = Object.entries(properties).filter(([name, field]) => !isSaid(name, field));
  if (fields.length === 0) return '';
  const rows = fields.map(([name, field]) => {
    const { text = '', own = false } = members.get(name) ?? {};
    const mark = required.includes(name) ? '' : '?';
    return `| \`${name}${mark}\` | \`${typeText(field).replaceAll('|', '\\|')}\` | ${[own && '**H**', text].filter(Boolean).join(' ')} |`;
  });
  return ['| field | type | meaning |', '|---|---|---|', ...rows, ''].join('\n');
}

function exampleBlock(values, note) {
  const lines = values.map((value) => JSON.stringify(value));
  return [`<!-- json: ${note} -->`, '```json', ...lines, '```', ''].join('\n');
}

function controlSection(document, comments) {
  const frames = [
    ['control_request', 'ControlRequestFrame'],
    ['control_response', 'ControlResponseFrame'],
    ['control_cancel_request', 'ControlCancelFrame'],
  ].map(([title, definition]) => ({ title, definition, schema: document, comments, note: 'wire' }));
  return [
    '## Control',
    '',
    'Lines of both directions; every request gets one response. [Control](../wire.md#control) explains them.',
    '',
    ...frames.map(kindText),
    requests('Requests of the host', 'Host', document, comments.get('hostRequests')),
    requests('Requests of the agent', 'Cli', document, comments.get('cliRequests')),
  ].join('\n');
}

function requests(title, asker, document, { members }) {
  const prefix = `${asker}Request.`;
  const subtypes = [...members.keys()].filter((subtype) => document.$defs[prefix + subtype]);
  return [`## ${title}`, '', ...subtypes.map((subtype) => requestText({ subtype, asker, document, members }))].join(
    '\n',
  );
}

function requestText({ subtype, asker, document, members }) {
  const [request, response] = ['Request', 'Response'].map((part) => document.$defs[`${asker}${part}.${subtype}`]);
  const { text, own } = members.get(subtype);
  const inside = (schema, of) => exampleOf(schema, { defs: document.$defs, of });
  const id = 'req_1';
  const asked = { type: 'control_request', request_id: id, request: inside(request, `${asker}Request.${subtype}`) };
  const body = inside(response, `${asker}Response.${subtype}`);
  const success = { subtype: 'success', request_id: id, ...(!hasNoBody(response) && { response: body }) };
  const answer = isRefused(text) ? refusal(subtype, id) : success;
  return [
    `### ${asker === 'Host' ? 'host' : 'agent'}: ${subtype}`,
    '',
    ...paragraph([own && '**H**', text].filter(Boolean).join(' ')),
    fieldTable(request),
    isRefused(text) ? '' : answerText(response),
    exampleBlock([asked, { type: 'control_response', response: answer }], 'wire'),
  ].join('\n');
}

/** Of the reference only: Heddle knows its name and its shape. */
function isRefused(text) {
  return text.startsWith('Heddle refuses this request as unsupported');
}

function refusal(subtype, id) {
  return { subtype: 'error', request_id: id, error: `Unsupported control request subtype: ${subtype}` };
}

function answerText(response) {
  if (hasNoBody(response)) return 'The answer has no body.\n';
  if (response.$ref || !response.properties) return `The answer is \`${typeText(response)}\`.\n`;
  return `The answer:\n\n${fieldTable(response)}`;
}

function hasNoBody({ $ref }) {
  return $ref === '#/$defs/Done';
}

const REQUEST = /^(Host|Cli)(Request|Response)\./;

/** The definitions that others refer to, each once. */
function partsSection(documents, comments) {
  const parts = new Map();
  for (const { $defs } of documents) {
    for (const name of refsIn($defs)) if (name !== 'Done' && !REQUEST.test(name)) parts.set(name, $defs[name]);
  }
  const sorted = [...parts].sort(([a], [b]) => (a < b ? -1 : 1));
  const texts = sorted.map(([name, schema]) => {
    const { text = '', members } = comments.get(name) ?? {};
    const table = schema.properties ? fieldTable(schema, members) : `\`${typeText(schema)}\`\n`;
    return [`### ${name}`, '', ...paragraph(text), table].join('\n');
  });
  return ['## Shared types', '', ...texts].join('\n');
}
