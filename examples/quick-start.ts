import { query } from 'heddle';

const run = query({ prompt: 'list files matching *.md', options: { model: 'offline' } });

// The text as it is written. A turn that ends in an error throws; it never passes for an answer.
for await (const text of run.textStream) process.stdout.write(text);
console.log(`\n$${run.result?.total_cost_usd}, session ${run.result?.session_id}`);
