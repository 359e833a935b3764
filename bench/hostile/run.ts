/** Runs the benchmark of hostile requests: all its parts, or those that the arguments name. */
import {
  type MeasuredGateway,
  type MeasuredGatewayOptions,
  startMeasuredGateway,
} from '../gateway-process.ts';
import { answers } from './answers.ts';
import { measureAttack } from './attack.ts';
import { connections } from './connections.ts';
import { limits } from './limits.ts';
import { measureRequests } from './measure-requests.ts';
import { measureUnsentBodies } from './measure-unsent-bodies.ts';
import { measureWaits, WAITS_ENV } from './measure-waits.ts';
import { relay } from './relay.ts';
import { wrongKeys } from './wrong-keys.ts';

/** The signing secret makes the API read callbacks without a token. */
const WEBHOOK_SECRET = `whsec_${Buffer.from('the secret of a provider').toString('base64')}`;

const PARTS: Record<string, () => Promise<string>> = {
  jobs: () => withGateway(measureWaits, { env: WAITS_ENV, entitlements: ['private_endpoints'] }),
  limits: () => measureAttack('limits', limits),
  relay: () => measureAttack('relay', relay),
  answers: () => measureAttack('answers', answers),
  connections: () => measureAttack('connections', connections),
  'wrong-keys': () => measureAttack('wrong keys', wrongKeys),
  'unsent-bodies': () => withGateway(measureUnsentBodies),
  requests: () => withGateway(measureRequests),
};

async function withGateway(
  measure: (gateway: MeasuredGateway) => Promise<string>,
  options: MeasuredGatewayOptions = { env: { PROVIDER_REPLICATE_WEBHOOK_SECRET: WEBHOOK_SECRET } },
): Promise<string> {
  const gateway = await startMeasuredGateway(options);
  const report = await measure(gateway);
  await gateway.close();
  return report;
}

const named = process.argv.slice(2);
const unknown = named.filter((name) => !Object.hasOwn(PARTS, name));
if (unknown.length > 0)
  throw new Error(`${unknown.join(', ')}: choose from ${Object.keys(PARTS).join(', ')}`);
for (const name of named.length === 0 ? Object.keys(PARTS) : named) {
  process.stdout.write(`${await PARTS[name]!()}\n\n`);
}
