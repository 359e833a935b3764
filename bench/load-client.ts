/** The process of `startLoadProcess`: sends every load it is told, and tells the rate. */
import { type Load, requestsPerSecond } from './load.ts';

process.on('message', (load: Load) => {
  // A failure ends the process, which whoever waits for the rate notices.
  void requestsPerSecond(load).then((rate) => process.send?.(rate));
});
process.send?.('ready');
