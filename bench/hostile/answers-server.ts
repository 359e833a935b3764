/** Serves the huge answers of the attack on the memory for answers. Prints its origin when it listens. */
import { startHostileUpstream } from '../../test/support/hostile-upstream.ts';

const { origin } = await startHostileUpstream();
process.stdout.write(origin);
