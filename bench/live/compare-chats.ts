import { type MeasuredGateway, rawRequest } from '../gateway-process.ts';
import { type Comparison, createComparison } from './comparison.ts';

export interface ChatsOptions {
  /** Starts the gateway that is to be about as fast as the other. */
  product(): Promise<MeasuredGateway>;
  reference(): Promise<MeasuredGateway>;
  referenceName: string;
  /** The least ratio of answers a second that is good. */
  bar: number;
}

const MESSAGES = [{ role: 'user', content: 'Say what you always say.' }];

/**
 * Lets two gateways that run at the same time answer chats, whole and streamed, in alternating rounds. Takes the arguments of
 * the command line: seconds of one round, pairs of rounds, and a part of the names of the cases to run; all of them otherwise.
 * Each case is measured with either gateway started first, which is slower than the same code that is started second.
 */
export async function compareChats(options: ChatsOptions): Promise<void> {
  const [seconds = '4', rounds = '5', part = ''] = process.argv.slice(2);
  const { product, reference, referenceName } = options;
  const comparison = createComparison({ seconds: Number(seconds), rounds: Number(rounds), referenceName });
  const compare = async (pair: Gateways, started: string): Promise<void> => {
    await measure(comparison, pair, started, { bar: options.bar, part });
    await pair.reference.close();
    await pair.product.close();
  };
  const first = await product();
  await compare({ product: first, reference: await reference() }, 'first');
  const other = await reference();
  await compare({ product: await product(), reference: other }, 'second');
  process.stdout.write(`\n${comparison.render()}\n`);
}

interface Gateways {
  product: MeasuredGateway;
  reference: MeasuredGateway;
}

async function measure(
  comparison: Comparison,
  { product, reference }: Gateways,
  started: string,
  { bar, part }: { bar: number; part: string },
): Promise<void> {
  for (const stream of [false, true]) {
    const sideOf = ({ origin, pid, apiKey }: MeasuredGateway) => {
      const body = { model: 'local/chat-canned', messages: MESSAGES, ...(stream ? { stream } : {}) };
      return { origin, pid, request: rawRequest('/api/v1/chat/completions', apiKey, body) };
    };
    for (const connections of [32, 128]) {
      const name = `chat${stream ? ' streamed' : ''}, ${connections} connections, started ${started}`;
      if (!name.includes(part)) continue;
      const pair = { name, connections, product: sideOf(product), reference: sideOf(reference) };
      await comparison.throughput(pair, bar);
    }
  }
}
