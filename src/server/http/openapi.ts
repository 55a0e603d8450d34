import * as z from 'zod/mini';
import type { JsonObject } from '../../util/json.ts';
import { isObject } from '../../util/json.ts';
import type { AnySchema, Route } from './route.ts';

/** The OpenAPI 3.1 document of a table of routes, made from the schemas that check their requests. */
export function openApi(routes: readonly Route[], version: string): JsonObject {
  const paths: Record<string, JsonObject> = {};
  for (const row of routes) {
    paths[row.path] = { ...paths[row.path], [row.method.toLowerCase()]: operation(row) };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Heddle', version, description: 'Sessions of agents over HTTP. docs/server.md tells more.' },
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer', description: 'hdl_<id>_<secret>' } },
      schemas: { Error: jsonSchema(ErrorAnswer) },
    },
  };
}

const ErrorAnswer = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    facts: z.record(z.string(), z.unknown()),
    request_id: z.string(),
  }),
});

function operation(row: Route): JsonObject {
  const isFree = row.scope === 'none';
  return {
    summary: row.summary,
    operationId: `${row.method.toLowerCase()}${row.path.replaceAll(/[^\w]+(\w)?/g, (_, next = '') => next.toUpperCase())}`,
    ...(isFree ? { security: [] } : { 'x-scope': row.scope }),
    parameters: [...parameters(row.params, 'path'), ...parameters(row.query, 'query')],
    ...(row.body && { requestBody: requestBody(row) }),
    responses: { ...answers(row), default: { description: errorsOf(row), content: ERROR } },
    'x-error-codes': [...row.errors],
  };
}

const ERROR = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } };

function errorsOf({ errors }: Route): string {
  return errors.length === 0 ? 'An error' : `An error: ${errors.join(', ')}, or one of every route`;
}

function requestBody({ body, isBodyOptional }: Route): JsonObject {
  return {
    required: !isBodyOptional,
    content: { 'application/json': { schema: body ? jsonSchema(body) : {} } },
  };
}

function answers({ answers: rows }: Route): JsonObject {
  return Object.fromEntries(
    Object.entries(rows).map(([status, { description, schema, type = 'application/json' }]) => [
      status,
      { description, ...(schema && { content: { [type]: { schema: jsonSchema(schema) } } }) },
    ]),
  );
}

function parameters(schema: AnySchema | undefined, place: 'path' | 'query'): JsonObject[] {
  if (!schema) return [];
  const { properties, required } = jsonSchema(schema);
  const needed = Array.isArray(required) ? required : [];
  return Object.entries(isObject(properties) ? properties : {}).map(([name, each]) => ({
    name,
    in: place,
    required: place === 'path' || needed.includes(name),
    schema: each,
  }));
}

function jsonSchema(schema: AnySchema): JsonObject {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonObject;
  return rest;
}
