// Says in a few words what a JSON Schema accepts.

/** `string`, `"a" \| "b"`, `TextBlock[]`, `{ name: string, size?: number }`; named definitions by their names. */
export function typeText(schema) {
  if (schema.$ref) return nameOf(schema.$ref);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const options = schema.anyOf ?? schema.oneOf;
  if (options) return unionText(options);
  if (Array.isArray(schema.type)) return schema.type.join(' | ');
  if (schema.type === 'array') return `${inParentheses(typeText(schema.items ?? {}))}[]`;
  if (schema.type === 'object') return objectText(schema);
  return schema.type ?? 'any';
}

export function nameOf(ref) {
  return ref.replace('#/$defs/', '');
}

/** Known words, where any text is let pass, are told as the words. */
function unionText(options) {
  const isOpen = options.some((option) => option.enum) && options.some((option) => isAnyText(option));
  const told = isOpen ? options.filter((option) => !isAnyText(option)) : options;
  const texts = told.filter((option) => !isOtherKind(option)).map((option) => typeText(option));
  return [...new Set(isOpen ? [...texts, '…'] : texts)].join(' | ');
}

function isAnyText({ type, enum: words, const: word, pattern }) {
  return type === 'string' && !words && word === undefined && !pattern;
}

/** What lets kinds of a later version pass. */
function isOtherKind({ properties }) {
  return Object.values(properties ?? {}).some(({ pattern }) => pattern?.startsWith('^(?!'));
}

function objectText({ properties = {}, required = [], additionalProperties }) {
  const fields = Object.entries(properties);
  const values = additionalProperties && Object.keys(additionalProperties).length > 0;
  if (fields.length === 0) return values ? `{ [name]: ${typeText(additionalProperties)} }` : 'object';
  const texts = fields.map(([name, field]) => `${name}${required.includes(name) ? '' : '?'}: ${typeText(field)}`);
  return `{ ${texts.join(', ')} }`;
}

function inParentheses(text) {
  return text.includes(' | ') ? `(${text})` : text;
}

/** Every definition that a schema speaks of. */
export function refsIn(schema) {
  if (Array.isArray(schema)) return schema.flatMap(refsIn);
  if (typeof schema !== 'object' || schema === null) return [];
  return [...(schema.$ref ? [nameOf(schema.$ref)] : []), ...Object.values(schema).flatMap(refsIn)];
}
