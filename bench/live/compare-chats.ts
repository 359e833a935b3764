/** Compares two configurations of the gateway by the speed of their chats. */
import { type MeasuredGateway, rawRequest } from '../gateway-process.ts';
import { type Comparison, createComparison } from './comparison.ts';

export interface ChatsOptions {
  /** Starts the gateway that is compared with the reference. */
  product(): Promise<MeasuredGateway>;
  reference(): Promise<MeasuredGateway>;
  referenceName: string;
  /** The least acceptable ratio of answers per second. */
  bar: number;
}

const MESSAGES = [{ role: 'user', content: 'Say what you always say.' }];

/** The rounds measured after each start. */
const ROUNDS = 2;

/**
 * Compares two running gateways by chats, whole and streamed, in alternating rounds. Takes the arguments of the command
 * line: seconds of one round, the number of starts, and a part of the names of the cases to run (default: all).
 *
 * Of two gateways with the same code, the one that starts first often stays some percent slower. The order of starts
 * therefore alternates, and the rounds of all starts make one row.
 */
export async function compareChats(options: ChatsOptions): Promise<void> {
  const [seconds = '4', starts = '4', part = ''] = process.argv.slice(2);
  const comparison = createComparison({
    seconds: Number(seconds),
    rounds: ROUNDS,
    referenceName: options.referenceName,
  });
  for (let n = 1; n <= Number(starts); n += 1) {
    const { product, reference } = await startBoth(options, n % 2 === 1);
    await measure(comparison, { product, reference }, { bar: options.bar, part });
    await reference.close();
    await product.close();
  }
  process.stdout.write(`\n${starts} starts, of each ${comparison.render()}\n`);
}

async function startBoth({ product, reference }: ChatsOptions, productFirst: boolean): Promise<Gateways> {
  const first = await (productFirst ? product() : reference());
  const second = await (productFirst ? reference() : product());
  return productFirst ? { product: first, reference: second } : { product: second, reference: first };
}

interface Gateways {
  product: MeasuredGateway;
  reference: MeasuredGateway;
}

async function measure(
  comparison: Comparison,
  { product, reference }: Gateways,
  { bar, part }: { bar: number; part: string },
): Promise<void> {
  for (const stream of [false, true]) {
    const sideOf = ({ origin, pid, apiKey }: MeasuredGateway) => {
      const body = { model: 'local/chat-canned', messages: MESSAGES, ...(stream ? { stream } : {}) };
      return { origin, pid, request: rawRequest('/api/v1/chat/completions', apiKey, body) };
    };
    for (const connections of [32, 128]) {
      const name = `chat${stream ? ' streamed' : ''}, ${connections} connections`;
      if (!name.includes(part)) continue;
      const pair = { name, connections, product: sideOf(product), reference: sideOf(reference) };
      await comparison.throughput(pair, bar);
    }
  }
}
