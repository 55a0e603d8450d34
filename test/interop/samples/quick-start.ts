import { query, type SDKMessage, type SDKResultMessage } from '@anthropic-ai/claude-agent-sdk';

/** Asks one question and prints what happens. */
export async function ask(prompt: string): Promise<SDKResultMessage | undefined> {
  let result: SDKResultMessage | undefined;
  for await (const message of query({ prompt, options: { model: 'sonnet', maxTurns: 5, cwd: process.cwd() } })) {
    print(message);
    if (message.type === 'result') result = message;
  }
  return result;
}

function print(message: SDKMessage): void {
  switch (message.type) {
    case 'system':
      if (message.subtype === 'init') console.log(`${message.model}, ${message.tools.length} tools, ${message.cwd}`);
      break;
    case 'assistant':
      for (const block of message.message.content) {
        if (block.type === 'text') console.log(block.text);
        if (block.type === 'tool_use') console.log(`${block.name}: ${JSON.stringify(block.input)}`);
      }
      break;
    case 'user':
      if (message.tool_use_result !== undefined) console.log(message.tool_use_result);
      break;
    case 'result':
      if (message.subtype === 'success') console.log(message.result, message.structured_output);
      else console.error(message.subtype, message.errors.join('\n'));
      report(message);
      break;
    default:
      break;
  }
}

function report({ total_cost_usd, usage, modelUsage, num_turns, duration_ms, session_id }: SDKResultMessage): void {
  console.log(`${session_id}: ${num_turns} turns, ${duration_ms} ms, $${total_cost_usd.toFixed(4)}`);
  console.log(`${usage.input_tokens} in, ${usage.output_tokens} out, ${usage.cache_read_input_tokens} cached`);
  for (const [model, { inputTokens, outputTokens, costUSD, contextWindow }] of Object.entries(modelUsage)) {
    console.log(`${model}: ${inputTokens + outputTokens} of ${contextWindow}, $${costUSD}`);
  }
}
