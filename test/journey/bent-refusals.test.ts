/** Checks that refusals of vendors in other shapes reach callers in the contract's shape, in every dialect. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { addChatModel } from '../support/catalog.ts';
import { DIALECTS, type DialectName } from '../support/dialect-answers.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { answerChat, startVendorServer, type VendorServer } from '../support/vendor-server.ts';

const MODEL = 'bent/refuses';
const WAYS = (Object.keys(DIALECTS) as DialectName[]).flatMap((dialect) =>
  [false, true].map((stream) => ({ dialect, stream, how: stream ? 'a stream' : 'a whole answer' })),
);

let gateway: Gateway;
let vendor: VendorServer;

beforeAll(async () => {
  vendor = await startVendorServer();
  gateway = await startGateway();
  await addChatModel(gateway, MODEL, [
    { provider: 'bent', adapter: 'openai-compatible', baseUrl: vendor.baseUrl },
  ]);
});
beforeEach(() => {
  vendor.answer = answerChat;
});
afterAll(async () => {
  await gateway.close();
  await vendor.close();
});

/** Refuses requests so from now on. */
function refuse(status: number, body: string, headers: Record<string, string> = {}): void {
  vendor.answer = (_, response) => response.writeHead(status, headers).end(body);
}

describe.each(WAYS)("a vendor's refusal in the dialect $dialect, for $how", ({ dialect, stream }) => {
  async function ask(): Promise<{ status: number; headers: Headers; text: string }> {
    const { path, body } = DIALECTS[dialect];
    const answer = await gateway.call('POST', path, { body: { ...body, model: MODEL, stream } });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  }

  test.each([
    ['a list', '[{"error":{"code":400,"message":"No boats."}}]', 'No boats.'],
    ['a detail', '{"detail":"No boats."}', 'No boats.'],
    ['a list of details', '{"detail":[{"loc":["body","n"],"msg":"No boats."}]}', 'body.n: No boats.'],
    ['a message', '{"message":"No boats."}', 'No boats.'],
    ['a text', '{"error":"No boats."}', 'No boats.'],
    ['plain words', 'No boats.', 'No boats.'],
    ['a page', '<html><head><title>No boats.</title></head></html>', 'No boats.'],
  ])('has its message quoted from %s', async (_, body, quoted) => {
    refuse(400, body);
    const { status, text } = await ask();
    expect([status, JSON.parse(text)]).toEqual([
      400,
      expect.objectContaining({
        error: expect.objectContaining({
          message: expect.stringContaining(`was refused by the provider: ${quoted}`),
        }),
      }),
    ]);
  });

  test.each([
    ['a fraction', '2.5', 3],
    ['negative', '-5', 1],
    ['words', 'soon', 1],
  ])('has a Retry-After of whole seconds for one that is %s', async (_, value, least) => {
    refuse(429, '{"error":{"message":"slow down"}}', { 'retry-after': value });
    const { status, headers } = await ask();
    expect(status).toBe(429);
    expect(headers.get('retry-after')).toMatch(/^\d+$/);
    expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(least);
  });

  test('has a Retry-After of seconds for one that is a date', async () => {
    refuse(429, '{}', { 'retry-after': new Date(Date.now() + 3_600_000).toUTCString() });
    expect(Math.round(Number((await ask()).headers.get('retry-after')) / 600)).toBe(6);
  });
});
