import { type JsonObject, stringField } from '../util/json.ts';
import type { ResultBlock } from './blocks.ts';
import { listField, sumOf, textField, textsIn, uuidsOf } from './line-fields.ts';
import { inputOf } from './token-count.ts';

/** The end of a turn, as its result tells of it. */
export function resultBlock(
  line: JsonObject,
  { id, lastText, costUsd }: { id: string; lastText: string; costUsd: number },
): ResultBlock {
  const text = textField(line, 'result');
  return {
    kind: 'result',
    id,
    uuids: uuidsOf(line),
    isError: line.is_error === true || line.subtype !== 'success',
    subtype: textField(line, 'subtype'),
    code: stringField(line, 'error_code') ?? null,
    errors: textsIn(line, 'errors'),
    text,
    isNewText: text !== '' && text !== lastText,
    ms: sumOf(line, 'duration_ms'),
    tokens: { in: inputOf(line.usage), out: sumOf(line.usage, 'output_tokens') },
    costUsd,
    denials: listField(line, 'permission_denials').length,
  };
}
