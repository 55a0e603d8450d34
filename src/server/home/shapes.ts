import * as z from 'zod/mini';
import { SessionId } from '../routes/schemas.ts';

/** What addresses of stored sessions are made of. Nothing in them is ever part of a path of the file system. */
export const HomeSession = z.object({ id: SessionId });
export const HomeAgent = z.object({
  id: SessionId,
  agent: z.string().check(z.regex(/^[A-Za-z0-9][A-Za-z0-9@_-]{0,127}$/)),
});

const Number0 = z.coerce.number().check(z.int(), z.minimum(0));

export const RowsQuery = z.object({ since: z._default(Number0, 0), life: z.optional(Number0) });

/** `0-99,205`: numbers of rows. */
export const EntriesQuery = z.object({
  rows: z.string().check(z.maxLength(4000), z.regex(/^\d{1,9}(-\d{1,9})?(,\d{1,9}(-\d{1,9})?)*$/)),
});

/** A way into an entry, as JSON: `["message","content",0,"text"]`. */
export const BlobQuery = z.object({ path: z.string().check(z.maxLength(2000)) });
export const BlobWay = z.array(z.union([z.string(), z.number()])).check(z.maxLength(30));

export const ListQuery = z.object({
  q: z.optional(z.string().check(z.maxLength(200))),
  project: z.optional(z.string().check(z.maxLength(4096))),
  archived: z._default(z.stringbool(), false),
  limit: z._default(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(5000)), 200),
  from: z._default(Number0, 0),
});

export const SearchQuery = z.object({
  q: z.string().check(z.minLength(1), z.maxLength(500)),
  regex: z._default(z.stringbool(), false),
  limit: z._default(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(500)), 100),
});

const Text = z.nullable(z.string());

/** A session of the home, as lists have it. */
export const ListedSession = z.object({
  ...{ id: z.string(), title: z.string(), first_prompt: Text, tag: Text, cwd: Text, branch: Text },
  ...{ changed_at: z.number(), bytes: z.number(), archived: z.boolean() },
  /** The process that writes to it. */
  holder: z.nullable(z.object({ pid: z.number(), host: z.string(), state: Text, here: z.boolean() })),
});
export type ListedSession = z.infer<typeof ListedSession>;
