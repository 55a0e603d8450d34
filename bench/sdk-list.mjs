// Lists the sessions of the home, as a user would write it: all, or as many as the first argument says.
import { listSessions } from 'heddle';

const [limit] = process.argv.slice(2).map(Number);
const sessions = await listSessions({ ...(limit && { limit }), home: process.env.BENCH_SESSIONS });
console.log(`listed ${sessions.filter(({ summary }) => summary.startsWith('Prompt ')).length}`);
