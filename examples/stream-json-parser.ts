// A host without the SDK: starts the command line, writes lines of JSON and reads them. Any language can do this.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

// An installed `heddle` on the PATH needs no path.
const cli = fileURLToPath(new URL('dist/heddle.cjs', import.meta.resolve('heddle/package.json')));
const flags = ['--output-format', 'stream-json', '--input-format', 'stream-json', '--verbose', '--model', 'offline'];
const agent = spawn(process.execPath, [cli, '-p', ...flags, '--permission-prompt-tool', 'stdio'], {
  stdio: ['pipe', 'pipe', 'inherit'],
});
const send = (line: object) => agent.stdin.write(`${JSON.stringify(line)}\n`);

send({ type: 'user', message: { role: 'user', content: 'write note.txt: hello' } });

/** A line of the agent, as far as this host looks into it. Others are safe to ignore. */
interface Line {
  type: string;
  subtype?: string;
  session_id?: string;
  is_error?: boolean;
  errors?: string[];
  request_id?: string;
  request?: { subtype: string; tool_name?: string; input?: object };
  message?: { content: string | { type: string; name?: string }[] };
}

function take(line: Line): void {
  const blocks = Array.isArray(line.message?.content) ? line.message.content : [];
  switch (line.type) {
    case 'system':
      if (line.subtype === 'init') console.log(`session has an id: ${line.session_id !== undefined}`);
      break;
    case 'assistant':
      for (const { type, name } of blocks) if (type === 'tool_use') console.log(`call: ${name}`);
      break;
    case 'user':
      for (const { type } of blocks) if (type === 'tool_result') console.log('the call has a result');
      break;
    case 'control_request': {
      // The agent asks; every question needs an answer.
      console.log(`may it? ${line.request?.tool_name}`);
      const response = { behavior: 'allow', updatedInput: line.request?.input };
      send({ type: 'control_response', response: { subtype: 'success', request_id: line.request_id, response } });
      break;
    }
    case 'result':
      // Not the subtype: a `success` may be an error in the place of an answer.
      console.log(line.is_error ? `failed: ${line.errors?.join('; ')}` : 'done');
      agent.stdin.end(); // nothing more to say: the agent ends
      break;
  }
}

// Lines end with LF and with nothing else: text may hold other characters that some libraries take for line ends.
let rest = '';
agent.stdout.setEncoding('utf8');
for await (const chunk of agent.stdout) {
  const lines = (rest + chunk).split('\n');
  rest = lines.pop() ?? '';
  for (const line of lines) if (line.trim() !== '') take(JSON.parse(line));
}
