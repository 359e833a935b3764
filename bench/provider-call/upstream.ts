import { createUpstream } from '../../providers/local/upstream/create-upstream.ts';

/** Runs the local upstream in a separate process; prints its base URL, and ends with its parent. */
const [apiKey = ''] = process.argv.slice(2);
const { baseUrl } = await createUpstream({ apiKey }).listen(0);
process.stdout.write(`${baseUrl}\n`);
process.stdin.resume().on('end', () => process.exit());
