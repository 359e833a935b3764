/**
 * Compares chat with metrics, scraped at Prometheus's default interval, with chat without metrics. Both gateways run at
 * the same time, each with its own database and upstream. Arguments: those of `compareChats`, then `control`: no
 * metrics on both sides, which shows the difference of two equal gateways on this machine.
 */
import { findFreePorts } from '../../dev/ports.ts';
import { startMeasuredGateway } from '../gateway-process.ts';
import { compareChats } from '../live/compare-chats.ts';

/** The least share of answers per second with metrics. */
const BAR = 0.97;
/** The interval in Prometheus's own example configuration. */
const SCRAPE_EVERY_MS = 15_000;

const isControl = process.argv[5] === 'control';
const [port = 0] = await findFreePorts(1);
let scrapes = 0;
const scraper = setInterval(() => {
  fetch(`http://127.0.0.1:${port}/metrics`)
    .then(async (answer) => {
      if (!(await answer.text()).includes('sluice_requests_total'))
        throw new Error(`scraped ${answer.status}`);
    })
    .then(
      () => (scrapes += 1),
      () => {
        // No gateway listens between two starts.
      },
    );
}, SCRAPE_EVERY_MS);

await compareChats({
  product: () => startMeasuredGateway(isControl ? {} : { ownEnv: { METRICS_PORT: String(port) } }),
  reference: () => startMeasuredGateway(),
  referenceName: 'metrics off',
  bar: BAR,
});
clearInterval(scraper);
if (scrapes === 0 && !isControl) throw new Error('nothing was scraped: this was no measurement');
process.stdout.write(`\n${scrapes} scrapes\n`);
