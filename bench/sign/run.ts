/** Compares the signing of daemon requests with a bare signer, and counts its database transactions. */
import { setTimeout as delay } from 'node:timers/promises';
import { addIntern, addPersonalKey, sha256Of } from '../../test/support/daemon.ts';
import { rawRequest, startMeasuredGateway } from '../gateway-process.ts';
import { createComparison } from '../live/comparison.ts';
import { startServer } from '../live/processes.ts';
import { loadSockets } from '../live/socket-load.ts';
import { countStatements } from './count-statements.ts';

/** The seconds of one round, and the pairs of rounds. */
const [seconds = 4, rounds = 5] = process.argv.slice(2).map(Number);
const CONNECTIONS = 32;
const COUNTED_MS = 20_000;

const gateway = await startMeasuredGateway({ entitlements: ['interns'] });
const { token } = await addPersonalKey(gateway);
const target = `/api/v1/interns/${await addIntern(gateway)}/daemon/sign`;
const request = rawRequest(target, token, { bodySha256: sha256Of('{}') });
const bare = await startServer('sign/bare-sign.ts');

const comparison = createComparison({ seconds, rounds, referenceName: 'bare Koa that signs' });
await comparison.throughput(
  {
    name: `POST daemon/sign, ${CONNECTIONS} connections`,
    connections: CONNECTIONS,
    product: { ...gateway, request },
    reference: { ...bare, request },
  },
  0.7,
);

// Cache refreshes (every 15 or 30 seconds) and polls for changes cause transactions too; the idle count shows how many.
let signed = 0;
const load = { origin: gateway.origin, request, connections: CONNECTIONS, durationMs: COUNTED_MS };
const whileSigning = await countStatements(gateway.database, async () => {
  signed = (await loadSockets(load)).requests;
});
const whileIdle = await countStatements(gateway.database, () => delay(COUNTED_MS));

await bare.close();
await gateway.close();
process.stdout.write(`\n${comparison.render()}\n\n`);
process.stdout.write(
  `${signed} proofs: ${whileSigning} transactions in Postgres; ${whileIdle} while nothing was asked for as long\n`,
);
