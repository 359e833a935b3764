/**
 * Runs the local upstream, a model vendor for laptops and tests, as a separate process until a signal stops it. It
 * shares PROVIDER_LOCAL_API_KEY with the gateway.
 */
import '../platform/require-node.ts';
import { loadLocalUpstreamConfig } from '../platform/config.ts';
import { createLogger } from '../platform/logger.ts';
import { readProviderVariables } from '../platform/provider-variables.ts';
import { onShutdown } from '../platform/shutdown.ts';
import { createUpstream } from './create-upstream.ts';

const SHUTDOWN_DEADLINE_MS = 5_000;

const config = loadLocalUpstreamConfig(process.env);
const apiKey = readProviderVariables(process.env).providers.get('LOCAL')?.apiKey;
if (apiKey === undefined) {
  throw new Error(
    'PROVIDER_LOCAL_API_KEY is not set: the local upstream accepts only requests with that key',
  );
}
const logger = createLogger({ level: config.logLevel, name: 'local-upstream' });
const upstream = createUpstream({
  apiKey,
  host: config.host,
  onError: (err) => logger.error({ err }, 'a request failed because of an error in the local upstream'),
});
const { baseUrl } = await upstream.listen(config.port);
logger.info({ baseUrl }, 'the local upstream is listening');
onShutdown(logger, SHUTDOWN_DEADLINE_MS, [{ name: 'local upstream', run: () => upstream.close() }]);
