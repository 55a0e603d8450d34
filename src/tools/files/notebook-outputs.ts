import { stripVTControlCharacters } from 'node:util';
import { isObject, type JsonObject, stringField } from '../../util/json.ts';
import { joinText, type NotebookCell } from './notebook.ts';

/** The output of a cell, as far as it can be shown. */
export interface CellOutput {
  /** The format's own name: stream, execute_result, display_data, error. */
  kind: string;
  text?: string;
  image?: { mediaType: string; base64: string };
}

export function outputsOf({ json }: NotebookCell): CellOutput[] {
  return Array.isArray(json.outputs) ? json.outputs.filter(isObject).slice(0, MAX_OUTPUTS).map(toOutput) : [];
}

/** More than anyone looks at. */
const MAX_OUTPUTS = 1000;

/** The text forms of a result, best first: the first one that it has is shown. */
const TEXT_FORMS = ['text/plain', 'text/markdown', 'text/latex', 'application/json', 'text/html', 'image/svg+xml'];
const IMAGE_FORMS = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

function toOutput(output: JsonObject): CellOutput {
  const kind = stringField(output, 'output_type') ?? 'unknown';
  if (kind === 'stream') return { kind, text: joinText(output.text) };
  if (kind === 'error') return { kind, text: errorText(output) };
  const data = isObject(output.data) ? output.data : {};
  const textForm = TEXT_FORMS.find((form) => form in data);
  const imageForm = IMAGE_FORMS.find((form) => form in data);
  return {
    kind,
    ...(textForm !== undefined && { text: asText(data[textForm]) }),
    ...(imageForm !== undefined && {
      image: { mediaType: imageForm, base64: joinText(data[imageForm]) },
    }),
  };
}

function asText(value: unknown): string {
  return typeof value === 'string' || Array.isArray(value) ? joinText(value) : (JSON.stringify(value) ?? '');
}

/** Several times as much as is shown. */
const MAX_TRACEBACK = 100_000;

/** Tracebacks come with colours. */
function errorText(output: JsonObject): string {
  const { traceback } = output;
  const lines = Array.isArray(traceback) ? traceback.filter((line) => typeof line === 'string') : [];
  const summary = `${stringField(output, 'ename') ?? 'Error'}: ${stringField(output, 'evalue') ?? ''}`;
  return lines.length > 0 ? stripVTControlCharacters(lines.join('\n').slice(0, MAX_TRACEBACK)) : summary;
}
