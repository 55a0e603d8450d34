import * as z from 'zod/mini';
import { open, type Schema } from '../schema.ts';

/** The schemas of a request and of its response. */
export interface Exchange<Request = unknown, Response = unknown> {
  readonly request: Schema<Request>;
  readonly response: Schema<Response>;
}

/**
 * The fields of a request without its subtype, and its response. A function, so that schemas are built on first use.
 */
type Definition = () => readonly [fields: z.core.$ZodLooseShape, response: Schema<unknown>];

type Exchanges<Table extends Record<string, Definition>> = {
  [Subtype in keyof Table & string]: Exchange<
    RequestOf<Subtype, ReturnType<Table[Subtype]>[0]>,
    z.output<ReturnType<Table[Subtype]>[1]>
  >;
};
type RequestOf<Subtype, Fields extends z.core.$ZodLooseShape> = Flat<
  { subtype: Subtype } & z.infer<z.ZodMiniObject<z.core.util.Writeable<Fields>, z.core.$strip>>
>;
type Flat<T> = { [Key in keyof T]: T[Key] };

/** Builds a table of exchanges, keyed by the subtype of the request. */
export function exchanges<const Table extends Record<string, Definition>>(table: Table): Exchanges<Table> {
  const built = Object.entries(table).map(([subtype, define]) => [subtype, exchange(subtype, define)]);
  return Object.fromEntries(built) as Exchanges<Table>;
}

function exchange(subtype: string, define: Definition): Exchange {
  let request: Schema<unknown> | undefined;
  let response: Schema<unknown> | undefined;
  return {
    get request() {
      request ??= open({ subtype: z.literal(subtype), ...define()[0] });
      return request;
    },
    get response() {
      response ??= define()[1];
      return response;
    },
  };
}

/** The response of a request that only confirms that it was carried out. */
export const Done = z.optional(open({}));
