import { createUpstream } from '../../providers/local/upstream/create-upstream.ts';

/** The local upstream as a process of its own; says where it listens, and ends with its parent. */
const [apiKey = ''] = process.argv.slice(2);
const { baseUrl } = await createUpstream({ apiKey }).listen(0);
process.stdout.write(`${baseUrl}\n`);
process.stdin.resume().on('end', () => process.exit());
