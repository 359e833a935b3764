/** Runs every load that the parent process sends, and sends back the rate. */
import { type Load, requestsPerSecond } from './load.ts';

process.on('message', (load: Load) => {
  // A failed load ends this process with an error, which the parent notices.
  void requestsPerSecond(load).then((rate) => process.send?.(rate));
});
process.send?.('ready');
