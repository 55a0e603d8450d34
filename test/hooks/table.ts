/**
 * What comes of every answer to every event that this version fires, in letters:
 *
 *     .  all goes on as without the hook
 *     -  what the event is about does not happen: the call, the prompt, the stop, the compaction, the task,
 *        the change of settings
 *     ?  the host is asked for permission
 *     i  the call runs with the input of the hook
 *     d  the call is left to someone outside
 *     m  the model reads what the hook said
 *     n  people read what the hook said, in a line of the protocol
 *     w  a warning is logged: the hook has failed, or has objected where nothing can be held up
 *     h  what the hook printed is not shown (a callback prints nothing)
 *     !  the turn ends, and its result says that a hook ended it
 *
 * Where the event itself needs a call that is asked about or denied, `?` and `-` stand in all columns.
 */
export const ANSWERS = table(`
                    block approve allow deny ask defer granted refused input context message stop prevent quiet async
PreToolUse          -m    .       .     -m   ?   -dm   .       .       i     m       n       -m!  -m!     h     .
PreToolUse, asking  -m    .       .     -m   -?  -dm   -?      -?      -?    -?m     -?n     -m!  -m!     -?h   -?
PermissionRequest   -m    ?       ?     -m   ?   ?     .       -m      ?     ?       ?n      -m!  -m!     ?h    ?
PermissionDenied    -w    -       -     -    -   -     -       -       -     -       -n      -!   -!      -h    -
PostToolUse         m     .       .     .    .   .     .       .       .     m       n       !    !       h     .
PostToolUseFailure  m     .       .     .    .   .     .       .       .     m       n       !    !       h     .
PostToolBatch       m     .       .     .    .   .     .       .       .     m       n       !    !       h     .
UserPromptSubmit    -!    .       .     .    .   .     .       .       .     m       n       -!   -!      h     .
SessionStart        w     .       .     .    .   .     .       .       .     m       n       -!   -!      h     .
SessionEnd          w     .       .     .    .   .     .       .       .     .       .       .    .       .     .
Stop                -m    .       .     .    .   .     .       .       .     m       n       !    !       h     .
StopFailure         w     .       .     .    .   .     .       .       .     .       n       .    .       h     .
PreCompact          -m    .       .     .    .   .     .       .       .     .       n       -m   -m      h     .
PostCompact         w     .       .     .    .   .     .       .       .     .       n       .    .       h     .
Notification        ?w    ?       ?     ?    ?   ?     ?       ?       ?     ?m      ?n      ?    ?       ?h    ?
ConfigChange        -     .       .     .    .   .     .       .       .     .       n       .    .       h     .
CwdChanged          w     .       .     .    .   .     .       .       .     .       n       .    .       h     .
TaskCreated         -m    .       .     .    .   .     .       .       .     .       n       -m   -m      h     .
TaskCompleted       -m    .       .     .    .   .     .       .       .     .       n       -m   -m      h     .
`);

/** How a command may end without an answer in JSON (wire.md 10.3). */
export const COMMAND_ENDS = table(`
                    nothing plain exit1 exit2 slow garbage crash
PreToolUse          .       .     w     -m    w    w       w
PreToolUse, asking  -?      -?    -?w   -m    -?w  -?w     -?w
PermissionRequest   ?       ?     ?w    -m    ?w   ?w      ?w
PermissionDenied    -       -     -w    -w    -w   -w      -w
PostToolUse         .       .     w     m     w    w       w
PostToolUseFailure  .       .     w     m     w    w       w
PostToolBatch       .       .     w     m     w    w       w
UserPromptSubmit    .       m     w     -!    w    w       w
SessionStart        .       m     w     w     w    w       w
SessionEnd          .       .     w     w     w    w       w
Stop                .       .     w     -m    w    w       w
StopFailure         .       .     w     w     w    w       w
PreCompact          .       .     w     -m    w    w       w
PostCompact         .       .     w     w     w    w       w
Notification        ?       ?     ?w    ?w    ?w   ?w      ?w
ConfigChange        .       .     w     -     w    w       w
CwdChanged          .       .     w     w     w    w       w
TaskCreated         .       .     w     -m    w    w       w
TaskCompleted       .       .     w     -m    w    w       w
`);

/** The same of a callback. Of PreToolUse, its failure is a denial (ruling K2). */
export const CALLBACK_ENDS = table(`
                    nothing text error slow garbage
PreToolUse          .       -w   -mw   -w   -w
PreToolUse, asking  -?      -w   -mw   -w   -w
PermissionRequest   ?       ?w   ?w    ?w   ?w
PermissionDenied    -       -w   -w    -w   -w
PostToolUse         .       w    w     w    w
PostToolUseFailure  .       w    w     w    w
PostToolBatch       .       w    w     w    w
UserPromptSubmit    .       w    w     w    w
SessionStart        .       w    w     w    w
SessionEnd          .       w    w     w    w
Stop                .       w    w     w    w
StopFailure         .       w    w     w    w
PreCompact          .       w    w     w    w
PostCompact         .       w    w     w    w
Notification        ?       ?w   ?w    ?w   ?w
ConfigChange        .       w    w     w    w
CwdChanged          .       w    w     w    w
TaskCreated         .       w    w     w    w
TaskCompleted       .       w    w     w    w
`);

/** Outcomes by scene and answer. */
export type Table = ReadonlyMap<string, Readonly<Record<string, string>>>;

function table(text: string): Table {
  const nameWidth = 20; // the name of a scene may hold spaces
  const [head = '', ...rows] = text.split('\n').filter(Boolean);
  const answers = words(head);
  return new Map(
    rows.map((row) => {
      const cells = words(row.slice(nameWidth));
      const outcomes = answers.map((answer, at) => [answer, cells[at] ?? ''] as const);
      return [row.slice(0, nameWidth).trim(), Object.fromEntries(outcomes)];
    }),
  );
}

function words(text: string): string[] {
  return text.trim().split(/\s+/);
}
