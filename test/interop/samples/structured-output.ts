import { type OutputFormat, query, type SDKResultSuccess } from '@anthropic-ai/claude-agent-sdk';
import { z } from 'zod';

const Review = z.object({
  verdict: z.enum(['approve', 'reject']),
  findings: z.array(z.object({ file: z.string(), line: z.number(), text: z.string() })),
});

const outputFormat: OutputFormat = { type: 'json_schema', schema: z.toJSONSchema(Review) as Record<string, unknown> };

export async function review(prompt: string): Promise<z.infer<typeof Review>> {
  for await (const message of query({ prompt, options: { outputFormat, permissionMode: 'plan' } })) {
    if (message.type !== 'result') continue;
    if (message.subtype === 'success') return parse(message);
    if (message.subtype === 'error_max_structured_output_retries') throw new Error('It never fitted');
    throw new Error(message.errors.join('\n'));
  }
  throw new Error('There was no result');
}

function parse({ structured_output, result, stop_reason }: SDKResultSuccess): z.infer<typeof Review> {
  console.log(result, stop_reason);
  return Review.parse(structured_output);
}
