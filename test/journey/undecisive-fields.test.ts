/** Checks that no dialect fails an answer for the value of a field on which its meaning does not depend. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { placesIn, withValueAt } from '../providers/changed-answers.ts';
import { TEXT_EXCHANGES } from '../providers/text-exchanges.ts';
import { addChatModel } from '../support/catalog.ts';
import { askIn, DIALECTS, type DialectName } from '../support/dialect-answers.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { answerChat, sendJson, startVendorServer, type VendorServer } from '../support/vendor-server.ts';

const VALUES: unknown[] = [null, 'text', '7', -1, {}, ['x']];

let gateway: Gateway;
let vendor: VendorServer;

const exchangeOf = (operation: string) => TEXT_EXCHANGES.find((each) => each.operation === operation)!;

/** The models, the operation that each vendor serves, and the end of its streams. */
const WIRES = [
  { model: 'odd/chat', adapter: 'openai-compatible', operation: 'chat', ends: 'data: [DONE]\n\n' },
  { model: 'odd/messages', adapter: 'anthropic', operation: 'messages', ends: '' },
  { model: 'odd/responses', adapter: 'openai', operation: 'responses', ends: '' },
];

function answerWith(answer: unknown, ends: string): void {
  vendor.answer = (_, response) => {
    if (!Array.isArray(answer)) return sendJson(response, 200, answer);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(`${answer.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')}${ends}`);
  };
}

beforeAll(async () => {
  vendor = await startVendorServer();
  const env = { PROVIDER_ODD_MESSAGES_API_KEY: 'secret', PROVIDER_ODD_RESPONSES_API_KEY: 'secret' };
  gateway = await startGateway({ env });
  for (const { model, adapter, operation } of WIRES) {
    // A chat of the adapter for OpenAI uses the wire of chat.
    if (operation === 'responses') vendor.answer = answerChat;
    else answerWith(exchangeOf(operation).answer, '');
    await addChatModel(gateway, model, [
      { provider: model.replace('/', '-'), adapter, baseUrl: vendor.baseUrl },
    ]);
  }
});
afterAll(async () => {
  await gateway.close();
  await vendor.close();
});

const cases = WIRES.flatMap((wire) =>
  (Object.keys(DIALECTS) as DialectName[])
    // Only requests in the Responses dialect reach a vendor in that dialect.
    .filter((dialect) => wire.operation !== 'responses' || dialect === 'responses')
    .map((dialect) => ({ ...wire, dialect })),
);

describe.each(cases)('$dialect of $model', ({ model, operation, ends, dialect }) => {
  test.each([
    ['whole', false, operation],
    ['streamed', true, `a stream of ${operation}`],
  ])('accepts an answer (%s) with any value in fields that carry no meaning', async (_, stream, name) => {
    const { answer, decides } = exchangeOf(name);
    const failed: string[] = [];
    for (const place of placesIn(answer, decides).undecisive) {
      for (const value of VALUES) {
        answerWith(withValueAt(answer, place, value), ends);
        const { status, error, text } = await askIn(gateway, dialect, model, { stream });
        if (status !== 200 || error || text !== 'Hello')
          failed.push(`${place.join('.')} = ${JSON.stringify(value)}: ${status} ${error} ${text}`);
      }
    }
    expect(failed).toEqual([]);
  });
});
