import * as z from 'zod/mini';
import { open, type Schema } from '../schema.ts';

/** A request and what is answered to it. */
export interface Exchange<Request = unknown, Response = unknown> {
  readonly request: Schema<Request>;
  readonly response: Schema<Response>;
}

/** The fields of a request beside its subtype, and its answer. A function, so that it costs nothing until used. */
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

/** The answer of a request that only says that it was done. */
export const Done = z.optional(open({}));
