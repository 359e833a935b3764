/** Checks that `admin catalog update` shows what changes, asks, and writes it. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { runCatalog } from '../../admin/catalog.ts';
import { createCatalogStore } from '../../db/catalog/catalog-store.ts';
import { seedCatalog } from '../../services/catalog/seed-catalog.ts';
import { acmeCatalog, acmeEndpoint } from '../support/catalog-file.ts';
import { extracts, litellm, setUpUpdates } from '../support/catalog-updates.ts';

const scene = setUpUpdates();
const { restore, tools, update, pricingOf } = scene;

beforeEach(() => {
  scene.said = '';
});

const audited = async (): Promise<unknown[]> =>
  scene.database.knex('audit_log').select('action', 'target').where({ action: 'updateCatalog' });

const SOL = 'openai/gpt-6.1-sol@openai';

describe('catalog update', () => {
  afterEach(restore);

  test('finds nothing to change in the data from which the shipped prices come', async () => {
    expect(await update(extracts.litellm.data, '--yes')).toBe('The catalog already has these prices.');
    const text = await update(extracts['genai-prices'].data, '--yes');
    expect(text).toContain('Prices: 0 dearer, 0 cheaper, 0 new, 0 gone.');
    expect(text).toMatch(/^gone +openai\/gpt-6\.1-sol@openai +is not in the source$/m);
    expect(await audited()).toEqual([]);
  });

  test('shows dearer, cheaper, new and missing prices, writes them, and records it once', async () => {
    const map = litellm();
    const sol = map['gpt-6.1-sol'] ?? {};
    sol['input_cost_per_token'] = 3e-6;
    sol['output_cost_per_token_above_272k_tokens_flex'] = 7e-6;
    sol['cache_creation_input_token_cost_above_1hr'] = 4e-6;
    for (const key of Object.keys(sol)) if (key.endsWith('_priority')) delete sol[key];
    sol['deprecation_date'] = '2027-09-29';
    delete map['gpt-5.5'];
    expect(await update(map, '--yes')).toBe('2 rows written.');
    for (const line of [
      /^dearer +openai\/gpt-6\.1-sol@openai +prompt +0\.000002 +0\.000003$/m,
      /^cheaper +openai\/gpt-6\.1-sol@openai +completion, minPromptTokens 272000, serviceTier flex +0\.0000075 +0\.000007$/m,
      /^new +openai\/gpt-6\.1-sol@openai +inputCacheWriteHour +0\.000004$/m,
      /^gone +openai\/gpt-6\.1-sol@openai +prompt, serviceTier priority +0\.000004$/m,
      /^gone +openai\/gpt-5\.5@openai +is not in the source$/m,
      /^model +openai\/gpt-6\.1-sol +retired on +2027-09-29$/m,
      /^Prices: 1 dearer, 1 cheaper, 1 new, 8 gone\. Endpoints that are gone: 1\.$/m,
    ])
      expect(scene.said).toMatch(line);
    const pricing = await pricingOf(SOL);
    expect(pricing).toMatchObject({ prompt: '0.000003', inputCacheWriteHour: '0.000004' });
    expect(pricing?.overrides?.map(({ serviceTier }) => serviceTier)).toEqual([undefined, 'flex', 'flex']);
    expect(await pricingOf('openai/gpt-5.5@openai')).toBeDefined();
    expect(await audited()).toEqual([
      { action: 'updateCatalog', target: expect.stringMatching(/^catalog\/[0-9a-f]{64}$/) },
    ]);
    expect(await update(map, '--yes')).toContain('Prices: 0 dearer, 0 cheaper, 0 new, 0 gone.');
  });

  test('keeps what a format cannot state: tiers, when genai-prices has a new price', async () => {
    const data = structuredClone(extracts['genai-prices'].data) as {
      id: string;
      models: { id: string; prices: object }[];
    }[];
    const model = data.find(({ id }) => id === 'openai')?.models.find(({ id }) => id === 'gpt-5.1');
    Object.assign(model?.prices ?? {}, { input_mtok: 2 });
    await update(data, '--yes');
    expect(await pricingOf('openai/gpt-5.1@openai')).toMatchObject({
      prompt: '0.000002',
      overrides: [{ serviceTier: 'flex', prompt: '0.000000625' }, { serviceTier: 'priority' }],
    });
  });

  test('lasts until a version has newer data', async () => {
    const map = litellm();
    Object.assign(map['gpt-6.1-sol'] ?? {}, { input_cost_per_token: 3e-6 });
    await update(map, '--yes');
    await seedCatalog(scene.database.knex);
    expect(await pricingOf(SOL)).toMatchObject({ prompt: '0.000003' });
    await scene.database.knex('endpoints').where({ id: SOL }).update({ updated_at: '2026-01-01' });
    await seedCatalog(scene.database.knex);
    expect(await pricingOf(SOL)).toMatchObject({ prompt: '0.000002' });
  });

  test('leaves the rows that an operator imported', async () => {
    await scene.database.knex('endpoints').where({ id: SOL }).update({ source: 'imported' });
    const map = litellm();
    Object.assign(map['gpt-6.1-sol'] ?? {}, { input_cost_per_token: 3e-6 });
    expect(await update(map, '--yes')).toBe(
      'The catalog already has these prices. Of your own: 1 endpoint, unchanged.',
    );
    expect(await pricingOf(SOL)).toMatchObject({ prompt: '0.000002' });
  });

  test('takes a newer catalog file, with new models and those that are gone', async () => {
    const file = acmeCatalog('acme', 'https://api.acme.example/v1');
    expect(await update(file, '--yes', '--force')).toBe('3 rows written.');
    const next = acmeCatalog('acme', 'https://api.acme.example/v1', {}, [
      acmeEndpoint('acme', { id: 'acme/other@acme', upstreamModelId: 'other' }),
      acmeEndpoint('acme', { id: 'acme/third@acme', upstreamModelId: 'third' }),
    ]);
    expect(await update(next, '--yes')).toBe('3 rows written.');
    expect(scene.said).toMatch(/^gone +acme\/fast@acme +is switched off$/m);
    expect(await pricingOf('acme/fast@acme')).toBeUndefined();
    expect(await pricingOf('acme/other@acme')).toBeDefined();
  });

  test('shows each value of a catalog file that it writes, besides prices', async () => {
    const file = acmeCatalog('acme', 'https://api.acme.example/v1');
    await update(file, '--yes');
    scene.said = '';
    const moved = structuredClone(file);
    moved.providers[0]!.baseUrl = 'https://evil.example/v1';
    await update(moved, '--yes');
    expect(scene.said).toMatch(
      /^changed +provider acme +baseUrl +"https:\/\/api\.acme\.example\/v1" +"https:\/\/evil\.example\/v1"$/m,
    );
    expect(scene.said).not.toContain('retired on');
  });

  test('keeps a model that one of its providers retires while another does not', async () => {
    const map = litellm();
    const key = Object.keys(map).find(
      (name) => name.startsWith('fireworks_ai/') && name.endsWith('gpt-oss-20b'),
    )!;
    Object.assign(map[key]!, { deprecation_date: '2027-01-20' });
    await update(map, '--yes');
    const { models } = await createCatalogStore(scene.database.knex).load();
    expect(models.find(({ id }) => id === 'openai/gpt-oss-20b')?.expirationDate ?? null).toBeNull();
  });

  test('skips a model whose prices have another form', async () => {
    const map = litellm();
    Object.assign(map['gpt-5.5'] ?? {}, { off_peak_pricing: {}, input_cost_per_token: 1e-6 });
    expect(await update(map, '--yes')).toMatch(
      /^skipped +openai\/gpt-5\.5@openai +has prices that a catalog cannot hold$/m,
    );
    expect(await pricingOf('openai/gpt-5.5@openai')).toMatchObject({ prompt: '0.000005' });
  });

  test('writes nothing when the catalog changes before the answer', async () => {
    const name = path.join(scene.folder, 'raced.json');
    const map = litellm();
    Object.assign(map['gpt-6.1-sol'] ?? {}, { input_cost_per_token: 3e-6 });
    await writeFile(name, JSON.stringify(map));
    const ask = async (): Promise<boolean> => {
      await scene.database.knex('endpoints').where({ id: SOL }).update({ source: 'imported' });
      return true;
    };
    const run = runCatalog(scene.database.knex, ['update', '--from', name], { ...tools(true), ask });
    await expect(run).rejects.toThrow('The catalog changed meanwhile; nothing was written.');
    expect(await pricingOf(SOL)).toMatchObject({ prompt: '0.000002' });
    expect(await audited()).toEqual([]);
  });

  test('writes nothing in a dry run', async () => {
    const map = litellm();
    Object.assign(map['gpt-6.1-sol'] ?? {}, { input_cost_per_token: 3e-6 });
    expect(await update(map, '--dry-run')).toMatch(
      /^dearer .*\n\nPrices: 1 dearer.*\nNothing was written\.$/ms,
    );
    expect(await pricingOf(SOL)).toMatchObject({ prompt: '0.000002' });
    expect(await audited()).toEqual([]);
  });

  test('asks before it writes, and refuses without a terminal', async () => {
    const name = path.join(scene.folder, 'asked.json');
    const map = litellm();
    Object.assign(map['gpt-6.1-sol'] ?? {}, { input_cost_per_token: 3e-6 });
    await writeFile(name, JSON.stringify(map));
    const args = ['update', '--from', name];
    await expect(runCatalog(scene.database.knex, args, tools())).rejects.toThrow(
      'there is no terminal to ask at',
    );
    expect(await runCatalog(scene.database.knex, args, tools(false))).toMatchObject({
      text: 'Nothing was written.',
    });
    expect(await pricingOf(SOL)).toMatchObject({ prompt: '0.000002' });
    expect(await runCatalog(scene.database.knex, args, tools(true))).toMatchObject({
      text: '1 row written.',
    });
    expect(await pricingOf(SOL)).toMatchObject({ prompt: '0.000003' });
  });
});
