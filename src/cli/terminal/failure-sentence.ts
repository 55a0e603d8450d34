import { type JsonObject, stringField, tryParseJson } from '../../util/json.ts';
import { printable } from '../../util/text/printable.ts';

/**
 * Why a run has failed, for a person: one line with what to do next. The text of the result itself is part of the wire
 * format, and stays unchanged on stdout and in JSON.
 */
export function failureSentence(result: JsonObject): string {
  const errors = Array.isArray(result.errors) ? result.errors.map(String) : [];
  const [error = 'The run failed'] = errors;
  const answer = /^API Error: (?:(\d{3}) )?([\s\S]*?)(?: \u00b7 Check the API key of this model)?$/.exec(error);
  const sentence = answer
    ? apiSentence(result.error_code, answer[1], firstLine(saidBy(answer[2] ?? '')))
    : firstLine(error);
  return `${printable(sentence)}${nextStep(result.subtype)}`;
}

/** How the user can raise the limit that was reached. */
function nextStep(subtype: unknown): string {
  switch (subtype) {
    case 'error_max_turns':
      return ': --max-turns N allows more, and --continue goes on from here';
    case 'error_max_budget_usd':
      return ': --max-budget-usd AMOUNT allows more, and --continue goes on from here';
    default:
      return '';
  }
}

function apiSentence(code: unknown, status: string | undefined, said: string): string {
  const details = [status, said].filter((part) => part !== undefined && part !== '').join(': ');
  switch (code) {
    case 'authentication':
      return `The model API refused the key (${details}). heddle auth status shows which key is used, heddle doctor checks it.`;
    case 'rate_limit':
      return `The model API allows no more requests now (${details}). Wait, or name another model with --model or --fallback-model.`;
    case 'overloaded':
    case 'server':
      return `The model API failed (${details}). Try again later, or name another model with --fallback-model.`;
    case 'connection':
    case 'timeout':
      // A named server has said where its address comes from.
      if (details.endsWith('is its address.'))
        return `${details} Check that it runs; heddle models lists what answers.`;
      return `${details} Check the network, and ANTHROPIC_BASE_URL or OPENAI_BASE_URL where one is set; heddle doctor tells what is used.`;
    default:
      return `The model API did not accept the request (${details}).`;
  }
}

/** The message inside an error that a server sent as JSON; any other text unchanged. */
function saidBy(body: string): string {
  const json = tryParseJson(body) as { error?: unknown } | undefined;
  return stringField(json?.error, 'message') ?? stringField(json, 'message') ?? body;
}

/** Further lines could be mistaken for lines of Heddle. */
function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
