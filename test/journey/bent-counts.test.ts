/** Checks that counts of vendors are read in every form, and that repairs are counted by kind. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { findFreePorts } from '../../dev/ports.ts';
import { type BentVendor, piece, startBentVendor } from '../support/bent-vendor.ts';
import { addChatModel } from '../support/catalog.ts';
import { askIn, DIALECTS, type DialectName } from '../support/dialect-answers.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { scrape } from '../support/scrape.ts';

const MODEL = 'bent/counts';
/** A call whose arguments are an object, which is repaired. */
const CALL = { id: 'a', type: 'function', function: { name: 'look', arguments: { x: 1 } } };

let gateway: Gateway;
let vendor: BentVendor;
let port: number;

beforeAll(async () => {
  vendor = await startBentVendor();
  [port = 0] = await findFreePorts(1);
  gateway = await startGateway({ env: { METRICS_PORT: String(port) } });
  const endpoint = { provider: 'bent', adapter: 'openai-compatible', baseUrl: vendor.baseUrl };
  await addChatModel(gateway, MODEL, [endpoint]);
});
afterAll(async () => {
  await gateway.close();
  await vendor.close();
});

describe.each(Object.keys(DIALECTS) as DialectName[])('token counts in the dialect %s', (dialect) => {
  test('count as estimated for an answer without counts, with is_estimated: true', async () => {
    vendor.bend({
      choice: { index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' },
      events: [piece({ content: 'Hello' }, 'stop')],
      usage: null,
    });
    for (const stream of [false, true]) {
      const { path, body } = DIALECTS[dialect];
      const answer = await gateway.call('POST', path, { body: { ...body, model: MODEL, stream } });
      expect(await answer.text()).toContain('"is_estimated":true');
    }
  });

  test('include the provider options when they are estimated', async () => {
    vendor.bend({
      choice: { index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' },
      events: [piece({ content: 'Hello' }, 'stop')],
      usage: null,
    });
    const { path, body } = DIALECTS[dialect];
    const provider = { options: { bent: { a_field_of_tomorrow: 'word '.repeat(1_000) } } };
    for (const stream of [false, true]) {
      const answer = await gateway.call('POST', path, { body: { ...body, model: MODEL, stream, provider } });
      const text = await answer.text();
      const [, tokens] =
        /"(?:prompt|input)_tokens":(\d+)/.exec(text.slice(text.lastIndexOf('"usage":{'))) ?? [];
      expect(Number(tokens)).toBeGreaterThan(1_250);
    }
  });

  test('become numbers when the vendor sends text, without is_estimated', async () => {
    vendor.bend({
      choice: { index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' },
      events: [piece({ content: 'Hello' }, 'stop')],
      usage: { prompt_tokens: '11', completion_tokens: '7' },
    });
    for (const stream of [false, true]) {
      const { path, body } = DIALECTS[dialect];
      const text = await (
        await gateway.call('POST', path, { body: { ...body, model: MODEL, stream } })
      ).text();
      expect(text).toMatch(/"(?:prompt|input)_tokens":11\b/);
      expect(text).toMatch(/"(?:completion|output)_tokens":7\b/);
      expect(text).not.toContain('is_estimated":true');
    }
  });

  test('increase sluice_upstream_repaired_total by the kind of repair', async () => {
    vendor.bend({
      choice: {
        index: 0,
        message: { content: [{ type: 'text', text: 'Hi' }], tool_calls: [CALL] },
        finish_reason: null,
      },
      events: [piece({ content: [{ type: 'text', text: 'Hi' }] }), piece({ tool_calls: [CALL] })],
      usage: { prompt_tokens: '11', completion_tokens: '7' },
    });
    for (const stream of [false, true]) {
      const before = await scrape(port);
      await askIn(gateway, dialect, MODEL, { stream });
      const after = await scrape(port);
      for (const kind of ['content', 'tool_calls', 'finish_reason', 'usage']) {
        const series = `sluice_upstream_repaired_total{provider="bent",kind="${kind}"}`;
        expect([kind, after.value(series)! > (before.value(series) ?? 0)]).toEqual([kind, true]);
      }
    }
  });
});
