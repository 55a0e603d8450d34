// Decides in code which tool calls may run. Only calls that no rule has decided are asked about.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type CanUseTool, query, successOf } from 'heddle';

const canUseTool: CanUseTool = async (toolName, input) => {
  if (toolName !== 'Write') return { behavior: 'deny', message: `${toolName} is not allowed here.` };
  console.log(`allowed: write ${basename(String(input.file_path))}`);
  // What is returned is what runs: here the text is signed.
  return { behavior: 'allow', updatedInput: { ...input, content: `${input.content} (checked)` } };
};

const cwd = await mkdtemp(join(tmpdir(), 'heddle-example-'));
const prompt = 'write note.txt: hello then run: rm -rf build';
try {
  for await (const message of query({
    prompt,
    options: { cwd, canUseTool, model: 'offline', persistSession: false },
  })) {
    if (message.type !== 'result') continue;
    for (const denial of successOf(message).permission_denials) console.log(`denied: ${denial.tool_input.command}`);
  }
  console.log(`note.txt: ${await readFile(join(cwd, 'note.txt'), 'utf8')}`);
} finally {
  await rm(cwd, { recursive: true });
}
