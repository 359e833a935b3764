/**
 * Runs the upstream that the benchmark of provider calls measures against, as a separate process. Prints its base URL,
 * and ends with its parent.
 */
import { createUpstream } from '../../upstream/create-upstream.ts';

const [apiKey = ''] = process.argv.slice(2);
const { baseUrl } = await createUpstream({ apiKey }).listen(0);
process.stdout.write(`${baseUrl}\n`);
process.stdin.resume().on('end', () => process.exit());
